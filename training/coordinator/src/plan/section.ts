import { parseDuration, parseDurationRange } from "./duration.ts";
import type { PlanProblem } from "./plan-error.ts";

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/**
 * One mapping in a plan, read key by key. Problems are collected rather than thrown, so that the user can fix the whole
 * plan in one pass. An invalid value reads as the default.
 */
export class Section {
  readonly path: string;
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #problems: PlanProblem[];
  readonly #known = new Set<string>();

  constructor(value: unknown, path: string, problems: PlanProblem[]) {
    this.path = path;
    this.#problems = problems;
    if (value !== undefined && value !== null && !isMapping(value)) {
      problems.push({ path, message: "must be a mapping", fix: "Write it as keys and values." });
    }
    this.#values = isMapping(value) ? value : {};
  }

  has(key: string): boolean {
    this.#known.add(key);
    const value = this.#values[key];
    return value !== undefined && value !== null;
  }

  raw(key: string): unknown {
    return this.has(key) ? this.#values[key] : undefined;
  }

  section(key: string): Section {
    return new Section(this.raw(key), this.#at(key), this.#problems);
  }

  text<T extends string | null>(
    key: string,
    fallback: T,
    pattern = /^[^\n]{1,1000}$/,
    shape = "text on one line",
  ): string | T {
    if (!this.has(key)) return fallback;
    const value = this.#values[key];
    if (typeof value === "string" && pattern.test(value)) return value;
    return this.#refuse(key, `must be ${shape}`, `Write ${key} as ${shape}.`, fallback);
  }

  integer<T extends number | null>(key: string, fallback: T, bounds: Bounds): number | T {
    const value = this.number(key, fallback, bounds);
    if (value === null || Number.isSafeInteger(value)) return value;
    return this.#refuse(key, "must be an integer", `Write an integer ${describeBounds(bounds)}.`, fallback);
  }

  number<T extends number | null>(key: string, fallback: T, bounds: Bounds): number | T {
    if (!this.has(key)) return fallback;
    const value = this.#values[key];
    if (typeof value === "number" && value >= bounds.min && value <= bounds.max) return value;
    const fix =
      fallback === null ? `For example, write ${key}: ${bounds.min}.` : `Write ${key}: ${fallback}, the default.`;
    return this.#refuse(key, `must be a number ${describeBounds(bounds)}`.trimEnd(), fix, fallback);
  }

  flag(key: string, fallback: boolean): boolean {
    if (!this.has(key)) return fallback;
    const value = this.#values[key];
    return typeof value === "boolean"
      ? value
      : this.#refuse(key, "must be true or false", "Write true or false.", fallback);
  }

  choice<const T extends string>(key: string, fallback: T, choices: readonly T[]): T {
    if (!this.has(key)) return fallback;
    const found = choices.find((choice) => choice === this.#values[key]);
    return (
      found ?? this.#refuse(key, `must be one of ${choices.join(", ")}`, `Write ${choices.join(" or ")}.`, fallback)
    );
  }

  durationMs(key: string, fallbackMs: number, bounds: Bounds): number {
    if (!this.has(key)) return fallbackMs;
    const value = this.#values[key];
    const parsed = typeof value === "string" ? parseDuration(value) : undefined;
    if (parsed !== undefined && parsed >= bounds.min && parsed <= bounds.max) return parsed;
    const problem = parsed === undefined ? "must be a duration" : "is out of range";
    return this.#refuse(key, problem, "Write a number and a unit, such as 500ms, 60s, 30m, or 1h.", fallbackMs);
  }

  durationRangeMs(key: string, fallback: readonly [number, number]): readonly [number, number] {
    if (!this.has(key)) return fallback;
    const value = this.#values[key];
    const parsed = typeof value === "string" ? parseDurationRange(value) : undefined;
    return (
      parsed ??
      this.#refuse(key, "must be a range of durations", "Write the shorter duration first: 2s..60s.", fallback)
    );
  }

  /** Reports every unknown key. Must be called after all known keys have been read. */
  refuseUnknown(): void {
    for (const key of Object.keys(this.#values)) {
      if (this.#known.has(key)) continue;
      const fix = `Supported keys: ${[...this.#known].join(", ")}.`;
      this.#problems.push({ path: this.#at(key), message: "is not a supported key", fix });
    }
  }

  problem(key: string, message: string, fix: string): void {
    this.#problems.push({ path: this.#at(key), message, fix });
  }

  #refuse<T>(key: string, message: string, fix: string, fallback: T): T {
    this.problem(key, message, fix);
    return fallback;
  }

  #at(key: string): string {
    return this.path === "" ? key : `${this.path}.${key}`;
  }
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describeBounds({ min, max }: Bounds): string {
  if (max === Number.MAX_VALUE && min === -max) return "";
  return Number.isFinite(max) ? `from ${min} to ${max}` : `of at least ${min}`;
}
