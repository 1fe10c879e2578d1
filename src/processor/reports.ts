// What is found out for events alone: a chunk of the package, loaded where somebody listens.

export { originOf } from './origin.ts';
export { reportStep } from './step-event.ts';
