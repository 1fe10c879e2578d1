/** Exit codes: what was asked for holds, does not hold, or cannot be told. */
export const OK = 0;
export const FAILED = 1;
export const WRONG = 2;
