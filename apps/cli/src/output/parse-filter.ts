import { usageError } from "../cli-error.ts";

/** One step of a filter: maps a value to any number of values. */
type Filter = (value: unknown) => unknown[];

const signs = /\s*(\.\[|\.(?:[A-Za-z_]\w*)?|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|[A-Za-z_]\w*|==|!=|<=|>=|[<>|,()[\]])/y;

/** Parses a filter. Throws a usage error for unsupported syntax. */
export function parseFilter(text: string): Filter {
  const tokens = split(text);
  let at = 0;
  const peek = () => tokens[at];
  const take = () => tokens[at++];
  const expect = (sign: string) => {
    if (take() !== sign) throw refuse(text, `'${sign}' expected`);
  };

  const pipe = (): Filter => {
    let left = comma();
    while (peek() === "|") {
      take();
      const [before, after] = [left, comma()];
      left = (value) => before(value).flatMap(after);
    }
    return left;
  };
  const comma = (): Filter => {
    const parts = [either()];
    while (peek() === ",") {
      take();
      parts.push(either());
    }
    return parts.length === 1 ? (parts[0] as Filter) : (value) => parts.flatMap((part) => part(value));
  };
  const either = (): Filter => {
    let left = both();
    while (peek() === "or") {
      take();
      const [one, other] = [left, both()];
      left = (value) => [one(value).some(isTrue) || other(value).some(isTrue)];
    }
    return left;
  };
  const both = (): Filter => {
    let left = comparison();
    while (peek() === "and") {
      take();
      const [one, other] = [left, comparison()];
      left = (value) => [one(value).some(isTrue) && other(value).some(isTrue)];
    }
    return left;
  };
  const comparison = (): Filter => {
    const left = path();
    const compare = comparisons[peek() ?? ""];
    if (compare === undefined) return left;
    take();
    const right = path();
    return (value) => left(value).flatMap((one) => right(value).map((other) => compare(one, other)));
  };
  const path = (): Filter => {
    let filter = term();
    for (let sign = peek(); sign !== undefined && (sign === "[" || /^\.(?:\[|\w)/.test(sign)); sign = peek()) {
      const [before, step] = [filter, suffix()];
      filter = (value) => before(value).flatMap(step);
    }
    return filter;
  };
  const suffix = (): Filter => {
    const sign = take() as string;
    if (sign !== "[" && sign !== ".[") return member(sign.slice(1));
    const key = take();
    if (key === "]") return values;
    expect("]");
    if (key?.startsWith('"')) return member(JSON.parse(key) as string);
    if (key !== undefined && /^-?\d+$/.test(key))
      return (value) => [Array.isArray(value) ? (value.at(Number(key)) ?? null) : null];
    throw refuse(text, `'${key}' is not a list index`);
  };
  const term = (): Filter => {
    const sign = peek();
    if (sign === undefined) throw refuse(text, "unexpected end");
    if (/^\.[[\w]/.test(sign)) return suffix();
    take();
    if (sign === ".") return (value) => [value];
    if (sign === "(") return inBrackets();
    if (/^["\d-]/.test(sign)) return constant(readConstant(sign));
    if (sign in words) return constant(words[sign]);
    if (sign in functions) return functions[sign] as Filter;
    if (sign === "select" || sign === "map") {
      expect("(");
      const inner = inBrackets();
      if (sign === "select") return (value) => (inner(value).some(isTrue) ? [value] : []);
      return (value) => [values(value).flatMap(inner)];
    }
    throw refuse(text, `unknown token '${sign}'`);
  };
  const inBrackets = (): Filter => {
    const inner = pipe();
    expect(")");
    return inner;
  };

  const filter = pipe();
  if (at < tokens.length) throw refuse(text, `unexpected '${tokens[at]}'`);
  return filter;
}

/** Parses a constant. Large integers become bigint, because amounts can exceed the safe range of numbers. */
function readConstant(sign: string): unknown {
  const isLarge = /^-?\d+$/.test(sign) && !Number.isSafeInteger(Number(sign));
  return isLarge ? BigInt(sign) : JSON.parse(sign);
}

const isTrue = (value: unknown) => value !== false && value !== null && value !== undefined;
const constant =
  (value: unknown): Filter =>
  () => [value];
const member =
  (name: string): Filter =>
  (value) => [typeof value === "object" && value !== null ? ((value as Record<string, unknown>)[name] ?? null) : null];
const values: Filter = (value) => (typeof value === "object" && value !== null ? Object.values(value) : []);

const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

const functions: Readonly<Record<string, Filter>> = {
  length: (value) => [typeof value === "string" ? [...value].length : values(value).length],
  keys: (value) => [Array.isArray(value) ? [...value.keys()] : Object.keys((value as object | null) ?? {}).sort()],
  not: (value) => [!isTrue(value)],
};

/** Compares by value, because amounts are bigint and constants in a filter are numbers. */
const order = (one: unknown, other: unknown): number => {
  const [left, right] = [one as number, other as number];
  return left < right ? -1 : left > right ? 1 : 0;
};
const isEqual = (one: unknown, other: unknown) =>
  typeof one === "bigint" || typeof other === "bigint"
    ? isNumber(one) && isNumber(other) && order(one, other) === 0
    : one === other;
const isNumber = (value: unknown) => typeof value === "bigint" || typeof value === "number";

const comparisons: Readonly<Record<string, (one: unknown, other: unknown) => boolean>> = {
  "==": isEqual,
  "!=": (one, other) => !isEqual(one, other),
  "<": (one, other) => order(one, other) < 0,
  "<=": (one, other) => order(one, other) <= 0,
  ">": (one, other) => order(one, other) > 0,
  ">=": (one, other) => order(one, other) >= 0,
};

function split(text: string): string[] {
  const found: string[] = [];
  signs.lastIndex = 0;
  const trimmed = text.trimEnd();
  while (signs.lastIndex < trimmed.length) {
    const from = signs.lastIndex;
    const match = signs.exec(trimmed);
    if (match === null) throw refuse(text, `unknown token '${trimmed.slice(from).trim().slice(0, 10)}'`);
    found.push(match[1] as string);
  }
  return found;
}

function refuse(text: string, problem: string) {
  return usageError(`Invalid filter '${text}': ${problem}.`, "tollgate help formatting");
}
