import { test } from "@playwright/test";

/** Sizes of the built console. */
export interface BundleSizes {
  /** Gzipped size of the files that every page needs: the entry script, its imports, and the styles. */
  readonly shellBytes: number;
  /** Gzipped size of the largest page, not counting the shell. */
  readonly largestRouteBytes: number;
  readonly largestRoute: string;
  /** Total uncompressed size of all files. */
  readonly wholeBytes: number;
}

/** Figures that one test adds to the JSON line of the run. */
export interface Figures {
  /** Name of the page that was visited. The line has the number of distinct pages. */
  readonly page?: string;
  readonly screenshots?: number;
  /** Number of serious and critical axe findings. */
  readonly axeSerious?: number;
  readonly bundle?: BundleSizes;
  readonly paintMs?: number;
  /** Number of planted strings. */
  readonly planted?: number;
  /** Number of compared figures, and how many of them were different. */
  readonly compared?: number;
  readonly different?: number;
}

const FIGURES = "figures";
const FOUND = "found";

interface Annotation {
  readonly type: string;
  readonly description?: string;
}

/** Adds figures of the current test to the JSON line of the run. */
export function addFigures(figures: Figures): void {
  test.info().annotations.push({ type: FIGURES, description: JSON.stringify(figures) });
}

/** Prints a text next to the name of the current test. */
export function noteFound(text: string): void {
  test.info().annotations.push({ type: FOUND, description: text });
}

/** Returns the figures of a test. */
export function readFigures(annotations: readonly Annotation[]): readonly Figures[] {
  return textsOf(annotations, FIGURES).map((text) => JSON.parse(text) as Figures);
}

/** Returns the texts to print next to the name of a test. */
export function readFound(annotations: readonly Annotation[]): readonly string[] {
  return textsOf(annotations, FOUND);
}

function textsOf(annotations: readonly Annotation[], wanted: string): readonly string[] {
  return annotations.flatMap(({ type, description }) =>
    type === wanted && description !== undefined ? [description] : [],
  );
}
