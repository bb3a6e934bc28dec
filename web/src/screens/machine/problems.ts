import type { Problem } from '../../bridge/contract';

/** The problems of one row: of a matrix, or of the column `initial` or `stop`. */
export function problemsOf(problems: readonly Problem[], part: string, symbol: number | null, state: number | null): Problem[] {
  return problems.filter((problem) => problem.part === part && problem.symbol === symbol && problem.state === state);
}

/** Those that belong to no cell or row that is shown: they stand above the tables. */
export function generalProblems(problems: readonly Problem[]): Problem[] {
  return problems.filter((problem) => !(problem.part === 'transitions' && problem.symbol !== null && problem.state !== null));
}
