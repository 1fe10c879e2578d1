/** The checksum of the table, in hexadecimal digits. */
export const SHA256: string;
/** The table of word vectors, as `WordTable` reads it, in base64. */
export const WORD_VECTORS: string;
