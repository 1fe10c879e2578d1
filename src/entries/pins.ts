/**
 * Pins of definitions in a file that is checked in.
 *
 * @module mastra-tool-search/pins
 */

export { type FilePinStoreOptions, filePinStore } from '../stores/file-pins.ts';
