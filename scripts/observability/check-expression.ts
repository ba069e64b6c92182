import { type KnownSeries, metricRegistry } from "./metric-registry.ts";

const LABEL_LISTS = ["by", "without", "on", "ignoring", "group_left", "group_right"];
const WORDS = ["and", "or", "unless", "bool", "offset", "inf", "nan"];
/** Functions for counters. They are meaningless for gauges. */
const OF_COUNTERS = ["rate", "increase", "irate"];
const OF_GAUGES = ["deriv", "predict_linear", "delta"];
const TOKENS =
  /"(?:[^"\\]|\\.)*"|\d[\d.]*(?:e\d+|[smhdwy])?|[a-zA-Z_:][\w:]*|\[[^\]]*\]|[{}(),]|=~|!~|!=|[=<>]+|[-+*/%^]/g;

/** Finds errors in the use of our metrics in an expression. promtool checks the syntax. */
export function checkExpression(expression: string, registry = metricRegistry): string[] {
  const tokens: readonly string[] = expression.match(TOKENS) ?? [];
  const problems: string[] = [];
  const used: KnownSeries[] = [];
  const listed: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as string;
    if (!/^[a-zA-Z_:]/.test(token) || WORDS.includes(token.toLowerCase())) continue;
    if (LABEL_LISTS.includes(token)) {
      const end = tokens.indexOf(")", at);
      if (tokens[at + 1] !== "(") continue;
      listed.push(...tokens.slice(at + 2, end).filter((one) => one !== ","));
      at = end;
      continue;
    }
    if (isFunction(tokens, at)) continue;
    const known = registry.get(token);
    if (known === undefined) problems.push(`there is no metric ${token}`);
    else {
      used.push(known);
      problems.push(...checkFunction(tokens[at - 2], token, known));
    }
    if (tokens[at + 1] !== "{") continue;
    const end = tokens.indexOf("}", at);
    for (const [index, label] of tokens.slice(at + 2, end).entries()) {
      // Name, comparison, text, comma: every fourth token is a name.
      if (index % 4 === 0 && known !== undefined && !known.labels.includes(label)) {
        problems.push(`${token} has no label ${label}`);
      }
    }
    at = end;
  }
  if (used.length === 0 && problems.length === 0) problems.push("it names no metric");
  for (const label of listed) {
    if (!used.some(({ labels }) => labels.includes(label))) problems.push(`no metric of it has the label ${label}`);
  }
  return problems;
}

/** Reports whether the name precedes an opening parenthesis or the labels of an aggregation. */
function isFunction(tokens: readonly string[], at: number): boolean {
  const next = tokens[at + 1] ?? "";
  return next === "(" || next === "by" || next === "without";
}

function checkFunction(caller: string | undefined, name: string, { type }: KnownSeries): string[] {
  if (type === "gauge" && OF_COUNTERS.includes(caller ?? ""))
    return [`${name} is a gauge: ${caller} says nothing of it`];
  if (type !== "gauge" && OF_GAUGES.includes(caller ?? "")) return [`${name} counts up: ${caller} says nothing of it`];
  return [];
}
