/** What people and machines read: aligned text, JSON, and one self-contained HTML file. */
@NullMarked
package dev.tiebreak.app.report;

import org.jspecify.annotations.NullMarked;
