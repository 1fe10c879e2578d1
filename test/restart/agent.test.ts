import { testRestarts } from './restarts-suite.ts';

testRestarts('Agent');
