/**
 * Grades how runs find their tools, for Mastra's evals.
 *
 * @module mastra-tool-search/evals
 */

export type { SearchGrade } from '../grading/grade.ts';
export { type SearchGrader, type SearchGraderOptions, searchGrader } from '../grading/search-grader.ts';
