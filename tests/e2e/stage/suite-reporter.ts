import { stripVTControlCharacters } from "node:util";
import type { FullResult, Reporter, TestCase, TestError, TestResult } from "@playwright/test/reporter";
import { Report } from "@tollgate/testkit/report.ts";
import { type Figures, readFigures, readFound } from "./figures.ts";

/** Prints the tests as all suites outside Vitest do, with the counts and figures on the last line. */
export default class SuiteReporter implements Reporter {
  readonly #report = new Report();
  readonly #printsJson: boolean;
  readonly #figures: Figures[] = [];

  constructor({ printsJson }: { readonly printsJson: boolean }) {
    this.#printsJson = printsJson;
  }

  printsToStdio(): boolean {
    return true;
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    const [, project = "", , ...titles] = test.titlePath();
    const [suite = "", ...place] = project.split(" ");
    const name = [...place, ...titles].join(" ");
    this.#figures.push(...readFigures(result.annotations));
    if (result.status === "skipped")
      return this.#report.skip(suite, name, "an earlier failure ended its steps or the run");
    const found = readFound(result.annotations).map((text) => `: ${text}`);
    const line = `${name}${found.join("")} (${(result.duration / 1_000).toFixed(1)} s)`;
    this.#report.record(suite, line, result.status === "passed" ? null : describeFailure(result));
  }

  /** Receives errors outside tests, for example a console that does not build. */
  onError(error: TestError): void {
    this.#report.record("run", "no error outside the tests", textOf(error));
  }

  onStdErr(chunk: string | Buffer): void {
    process.stderr.write(chunk);
  }

  onStdOut(chunk: string | Buffer): void {
    process.stderr.write(chunk);
  }

  onEnd({ status }: FullResult): void {
    if (status === "interrupted") this.#report.record("run", "reaches its end", "it was interrupted");
    const { passed, failed, skipped, suites } = this.#report;
    this.#report.close(this.#printsJson ? { passed, failed, skipped, ...sumUp(this.#figures), suites } : null);
  }
}

function sumUp(all: readonly Figures[]) {
  const last = <Name extends keyof Figures>(name: Name) => all.findLast((it) => it[name] !== undefined)?.[name] ?? null;
  const sum = (name: "axeSerious" | "screenshots") => all.reduce((before, it) => before + (it[name] ?? 0), 0);
  return {
    pages: new Set(all.flatMap(({ page }) => page ?? [])).size,
    axeSerious: sum("axeSerious"),
    screenshots: sum("screenshots"),
    bundle: last("bundle"),
    paintMs: last("paintMs"),
    planted: last("planted"),
    compared: last("compared"),
    different: last("different"),
  };
}

/** Returns the errors of a test, and the files that show what happened. */
function describeFailure({ status, errors, attachments }: TestResult): string {
  const files = attachments.flatMap(({ path }) => path ?? []);
  return [...(errors.length === 0 ? [status] : errors.map(textOf)), ...files].join("\n");
}

function textOf({ message, value, location, cause }: TestError): string {
  const where = location === undefined ? "" : `\nat ${location.file}:${location.line}`;
  const why = cause === undefined ? "" : `\ncaused by: ${textOf(cause)}`;
  return `${stripVTControlCharacters(message ?? value ?? "unknown error")}${where}${why}`;
}
