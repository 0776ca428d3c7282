// What a page shows: sections in their order, as the Python package writes them (python/hopscope/report).

import type { Metric } from './engine.ts';

export interface PageDocument {
  kind: 'run' | 'sweep' | 'study' | 'experiment' | 'comparison' | 'runs';
  /** The small line above the title: model, seed, outcome. */
  origin: string;
  title: string;
  headline: string;
  footer: string;
  sections: Section[];
}

export type Section =
  | AnswerSection
  | WordsSection
  | TableSection
  | FiguresSection
  | DrawingSection
  | SourceSection
  | MapSection
  | TimeSpaceSection
  | WhySection
  | RunsSection
  | UnderWaySection
  | TrySection;

interface Headed {
  heading: string;
  /** Its word in the list of sections; the heading where there is none. */
  link?: string;
  note?: string;
}

export interface AnswerSection extends Headed {
  kind: 'answer';
  verdict: string;
  /** The change that helps, with its effect, and the options that make it. */
  remedy: { change: string; options: string } | null;
  /** What an operator asks next: a word and the answer. */
  evidence: [string, string][];
  figures: { name: string; value: string; interval: string; warning?: string }[];
  ledger: LedgerPart[];
  /** The mean that the parts add up to, in words. */
  total: string;
  /** What was set for this run: path and value. */
  set: string[];
  warnings: string[];
}

export interface LedgerPart {
  stage: string;
  kind: 'wait' | 'service';
  look: string;
  share: number;
  time: string;
  meaning: string;
}

export interface WordsSection extends Headed {
  kind: 'words';
  lines: string[];
  /** Of something that went wrong. */
  alert?: boolean;
}

export interface Cell {
  text: string;
  look?: string;
  /** The result that it leads to. */
  run?: string;
}

export interface TableSection extends Headed {
  kind: 'table';
  columns: { name: string; numeric: boolean }[];
  rows: (string | Cell)[][];
}

export interface FiguresSection extends Headed {
  kind: 'figures';
  figures: Figure[];
}

export type Figure = LinesFigure | BarsFigure | StackedFigure | WaterfallFigure;

export interface Axis {
  title: string;
  log?: boolean;
  /** How numbers are written: as they are, or as shares. */
  percent?: boolean;
  from?: number;
  to?: number;
  /** The names of the places of an axis without numbers. */
  names?: string[];
}

export interface LinesFigure {
  kind: 'lines';
  title: string;
  note: string;
  wide?: boolean;
  x: Axis;
  y: Axis;
  series: Series[];
  /** Places on the x axis to be marked by a dashed line, with a word. */
  rules?: [number, string][];
}

export interface Series {
  name: string;
  /** Its colour: a place in the palette; -1 stays in the background. */
  colour: number;
  line?: 'solid' | 'dashed' | 'step';
  marks?: 'dots' | 'diamonds' | 'triangles';
  spread?: 'band' | 'bars';
  columns?: boolean;
  /** x, y, and where there is an interval its ends, null where nothing bounds it. A y of null is left out. */
  rows: [number, number | null, (number | null)?, (number | null)?][];
}

export interface BarsFigure {
  kind: 'bars';
  title: string;
  note: string;
  axis: Axis;
  rows: { name: string; value: number; words: string; look: string }[];
}

export interface StackedFigure {
  kind: 'stacked';
  title: string;
  note: string;
  axis: Axis;
  parts: { name: string; look: string }[];
  bars: { name: string; shares: number[] }[];
}

export interface WaterfallFigure {
  kind: 'waterfall';
  title: string;
  note: string;
  unit: string;
  /** The first and the last are sums, from 0 on; the others are changes. */
  steps: { name: string; from: number; to: number; words: string }[];
}

export interface DrawingSection extends Headed {
  kind: 'drawing';
  svg: string;
}

export interface SourceSection extends Headed {
  kind: 'source';
  text: string;
}

export interface MapSection extends Headed {
  kind: 'map';
  /** The block with the network; another holds the use over time, where the run has it. */
  network: string;
  timeline: string | null;
  /** Two runs compared: the map shows the difference of the means. */
  difference?: boolean;
}

export interface TimeSpaceSection extends Headed {
  kind: 'time-space';
  journeys: string;
}

export interface ChainLink {
  resource: string;
  kind: string;
  place: string;
  utilisation: number;
  waiting: number;
  heldBy: string;
  heldShare: number;
}

export interface WhySection extends Headed {
  kind: 'why';
  /** The verdict, where no answer above has it. */
  sentence: string;
  symptoms: { name: string; evidence: string; source: string }[];
  chain: ChainLink[];
  victims: string[];
  /** What the gains of the changes rest on, and what speaks against them. */
  tried: string[];
  whatIf: { change: string; gain: number; low: number; high: number; words: string; set: string }[];
}

export interface RunsSection extends Headed {
  kind: 'runs';
  /**
   * Of each result a line of the list; the words are a paragraph for each sentence or hint, and `set` is in what runs
   * of the same title differ.
   */
  entries: {
    id: string;
    kind: string;
    title: string;
    folder: string;
    outcome: string;
    words: string[];
    set: string[];
  }[];
}

/** An experiment of a store, which may be performed at this moment. */
export interface UnderWaySection extends Headed {
  kind: 'under-way';
  experiment: string;
}

export interface TrySection extends Headed {
  kind: 'try';
  run: string;
  fields: TryField[];
  /** The engine in the page, where it has one. */
  here?: {
    /** The block with the engine, and the one with the scenario and its files. */
    engine: string;
    scenario: string;
    /** What was set for the run of this page. */
    set: string[];
    /** What it found out. */
    metrics: Metric[];
    hash: string;
  };
}

export interface TryField {
  path: string;
  value: string;
  /** What the schema says: type, unit, range and default in words. */
  expects: string;
  meaning: string;
  choices: string[];
  /** Whether something else than the choices may be typed. */
  open: boolean;
  /** The ends of a number, where the schema states them. */
  least: number | null;
  most: number | null;
}
