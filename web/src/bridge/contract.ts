/** What the package is asked and answers: the records of `src/cutpoint/workbench/messages.py`, name by name. */

/** A JSON value that names a state or a symbol: text mostly. */
export type Name = string | number | boolean | readonly Name[];
/** A float, or text as typed: `1/3`, `0.25`, which is exact. */
export type Entry = number | string;
/** A word by the codes of its symbols. */
export type Codes = readonly number[];

export interface Draft {
  readonly kind: 'acceptor' | 'generator';
  readonly states: readonly Name[];
  readonly symbols: readonly Name[];
  /** `[a][s][t]`: symbol, from, to. */
  readonly transitions: readonly (readonly (readonly Entry[])[])[];
  readonly initial: readonly Entry[];
  readonly final: readonly boolean[];
  readonly stop: readonly Entry[] | null;
  readonly beside: Readonly<Record<string, unknown>>;
}

/** A draft, or the digest that `check` has given to it. */
export type Machine = Draft | string;

export interface Problem {
  part: string;
  symbol: number | null;
  state: number | null;
  column: number | null;
  sentence: string;
}

export interface Checked {
  problems: Problem[];
  digest: string;
  draft: Draft | null;
  exact: boolean;
  summary: string;
  state_labels: string[];
  symbol_labels: string[];
  transitions: number[][][];
  initial: number[];
  stop: number[] | null;
  cut_point: string | null;
}

export interface CheckRequest {
  machine: Machine;
  normalized?: boolean;
  rationalized?: boolean;
}

export interface GalleryEntry {
  name: string;
  sentence: string;
  python: string;
  draft: Draft;
}

export interface Gallery {
  entries: GalleryEntry[];
}

export interface File {
  name: string;
  content: string;
  media_type?: string;
}

export interface Files {
  files: File[];
}

export interface OpenRequest {
  files: File[];
  normalized?: boolean;
}

export interface DownloadRequest {
  machine: Machine;
  format: string;
  name?: string;
  rounded?: boolean;
  bare?: boolean;
  min_probability?: number;
}

export interface DiagramRequest {
  machine: Machine;
  min_probability?: number;
  orientation?: 'right' | 'down';
  digits?: number;
}

export interface Edge {
  source: number;
  target: number;
  lines: string[];
  strength: number;
}

export interface DiagramText {
  dot: string;
  edges: Edge[];
}

export interface StepRequest {
  machine: Machine;
  word: Codes;
  exact?: boolean;
  accepted?: boolean | null;
}

export interface ExactTables {
  forward: string[][];
  backward: string[][];
  occupancy: string[][] | null;
  acceptances: string[];
  probability: string;
  path_probability: string | null;
}

export interface Steps {
  forward: number[][];
  backward: number[][];
  occupancy: number[][] | null;
  acceptances: (number | null)[];
  path: number[] | null;
  path_probability: number | null;
  probability: number;
  next_symbols: number[] | null;
  exact: ExactTables | null;
}

export interface WordsRequest {
  machine: Machine;
  cut_point?: string;
  inclusive?: boolean;
  max_length?: number;
  most?: number;
}

export type Side = 'above' | 'tie' | 'below';

export interface WordAcceptance {
  word: number[];
  acceptance: number;
  exact: string | null;
  side: Side;
}

export interface Level {
  acceptance: number;
  exact: string | null;
  count: number;
  above: number;
}

export interface CutPointWords {
  cut_point: string;
  value: number;
  words: WordAcceptance[];
  staircase: Level[];
  max_length: number;
  above: number;
  ties: number;
  below: number;
}

export interface DecideRequest {
  machine: Machine;
  cut_point?: string;
  inclusive?: boolean;
  max_states?: number;
}

export interface Decided {
  isolated: boolean | null;
  sentence: string;
  nearest: number[];
  acceptance: string;
  distance: string;
  proven: string | null;
  max_length: number;
  dfa_states: number | null;
  dot: string | null;
  dfa: Draft | null;
  unknown: string | null;
  empty: boolean | null;
  universal: boolean | null;
}

export interface CompareRequest {
  left: Machine;
  right: Machine;
}

export interface Compared {
  equal: boolean;
  sentence: string;
  word: number[] | null;
  left: string | null;
  right: string | null;
  left_steps: Steps | null;
  right_steps: Steps | null;
}

export interface Uploaded {
  upload: string;
  size: number;
}

export interface Reading {
  format?: string | null;
  header?: boolean | null;
  delimiter?: string | null;
  separator?: string | null;
  positive?: string | null;
  columns?: Record<string, string | number>;
}

export interface SampleFile {
  upload: string;
  name: string;
  reading: Reading;
}

export interface ReadProgress {
  done: number;
  total: number;
  cases: number;
}

export interface ReadRequest {
  sample: SampleFile;
}

export interface SampleRead {
  reading: Reading;
  problem: string | null;
  format: string;
  events: boolean;
  columns: string[];
  header: boolean;
  rows: string[][];
  roles: Record<string, number>;
  possible: [string[], string[]];
  outcomes: string[];
  cases: number;
  distinct: number;
  n_symbols: number;
  lengths: [number, number];
  accepted: number;
  rejected: number;
  unjudged: number;
  names: [string, string];
  warnings: string[];
}

export interface LearnRequest {
  sample: SampleFile;
  n_states?: number | null;
  team?: number;
  generator?: boolean;
  holdout?: number;
  time_limit?: number | null;
  seed?: number;
}

export interface LearnProgress {
  n_states: number;
  fold: number;
  folds: number;
  round: number;
  rounds: number;
  loss: number;
  e_steps: number;
  seconds: number;
  seconds_left: number | null;
  sizes: Record<string, number>;
}

export interface Curve {
  start: string;
  e_steps: number[];
  training: number[];
  held_out: number[];
}

export interface SizeLoss {
  n_states: number;
  loss: number;
  standard_error: number | null;
}

export interface CalibrationBin {
  predicted: number;
  observed: number;
  low: number;
  high: number;
  count: number;
}

export interface Judgement {
  what: string;
  table: string[][];
  calibration: CalibrationBin[];
}

export interface LearnResult {
  draft: Draft;
  summary: string;
  stop: string;
  detail: string;
  best_so_far: boolean;
  cut_point: number | null;
  cut_point_reason: string;
  sizes: SizeLoss[];
  curves: Curve[];
  judgement: Judgement | null;
  credit: string[][];
  credit_reason: string;
  seconds: number;
}

export type CaseOrder = 'row' | 'probability' | 'surprise' | 'length';

export interface CasesRequest {
  machine: Machine;
  sample: SampleFile;
  outcome?: boolean | null;
  wrong?: boolean | null;
  text?: string;
  sort?: CaseOrder;
  descending?: boolean;
  offset?: number;
  limit?: number;
}

export interface Case {
  row: number;
  id: string;
  word: Name[];
  accepted: boolean | null;
  probability: number;
  predicted: boolean;
  wrong: boolean | null;
}

export interface Cases {
  cases: Case[];
  found: number;
  total: number;
  cut_point: number;
  names: [string, string];
}

export interface CaseRequest {
  machine: Machine;
  word: Name[];
  outcome?: string;
  exact?: boolean;
}

export interface Bar {
  label: string;
  before: number;
  after: number;
}

export interface CaseExplained {
  acceptance: number;
  exact: string | null;
  predicted: boolean;
  baseline: number;
  forecasts: number[] | null;
  bars: Bar[];
  shapley_bars: Bar[];
  warning: string | null;
  sentence: string;
}

export interface ReportRequest {
  machine: Machine;
  sample: SampleFile;
  title?: string;
}

export interface CasesShown {
  cases: CasesRequest;
  case?: CaseRequest | null;
}
export interface ScriptRequest {
  screen: string;
  request: object;
  name?: string;
}

export interface Script {
  script: string;
  files: File[];
}

export interface Started {
  version: string;
  draft: Draft | null;
  sample: SampleFile | null;
  name: string;
  problem: string | null;
  formats: string[];
  downloads: string[];
}

export interface StopRequest {
  job: string;
}

export interface Failure {
  kind: string;
  sentence: string;
  where: string;
  advice: string;
}

/** Each route with its request and its answer. */
export interface Routes {
  start: [Record<string, never>, Started];
  gallery: [Record<string, never>, Gallery];
  check: [CheckRequest, Checked];
  open: [OpenRequest, Checked];
  download: [DownloadRequest, Files];
  diagram: [DiagramRequest, DiagramText];
  step: [StepRequest, Steps];
  words: [WordsRequest, CutPointWords];
  decide: [DecideRequest, Decided];
  compare: [CompareRequest, Compared];
  cases: [CasesRequest, Cases];
  case: [CaseRequest, CaseExplained];
  report: [ReportRequest, Files];
  script: [ScriptRequest, Script];
  stop: [StopRequest, Record<string, never>];
}

/** Long work, with its request, what it says of its progress, and its answer. */
export interface Jobs {
  read: [ReadRequest, ReadProgress, SampleRead];
  learn: [LearnRequest, LearnProgress, LearnResult];
}
