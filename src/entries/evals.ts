/**
 * Grades how runs find their tools, for Mastra's evals.
 *
 * @module mastra-tool-search/evals
 */

export type { SearchGrade } from '../workbench/grading/grade.ts';
export { type SearchGrader, type SearchGraderOptions, searchGrader } from '../workbench/grading/search-grader.ts';
