/** Raised for bytes that are no saved index, or not the wanted one. */
export class BadBytes extends Error {
  override readonly name: string = 'BadBytes';
}
