package dev.tiebreak.message;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;

/** What is kept of a delivery. */
final class Receipt {
    static final String DONE = "done";
    /** The state of one that was not there before. */
    static final String FRESH = "fresh";
    /** The state of one that was there and is no more. */
    static final String GONE = "gone";

    private final String state;
    private final byte[] fingerprint;
    private final byte[] result;

    private Receipt(String state, byte[] fingerprint, byte[] result) {
        this.state = state;
        this.fingerprint = fingerprint;
        this.result = result;
    }

    /** The first row, which is the one that counts. */
    static Receipt first(ResultSet rows) throws SQLException {
        return rows.next() ? current(rows) : new Receipt(GONE, Delivery.NONE, Delivery.NONE);
    }

    /** The current row: state, fingerprint and result come first. */
    static Receipt current(ResultSet rows) throws SQLException {
        return new Receipt(rows.getString(1), rows.getBytes(2), rows.getBytes(3));
    }

    byte[] result() {
        return result;
    }

    boolean is(String other) {
        return state.equals(other);
    }

    /** Whether both have a body, and not the same. */
    boolean contradicts(byte[] other) {
        return fingerprint.length > 0 && other.length > 0 && !Arrays.equals(fingerprint, other);
    }
}
