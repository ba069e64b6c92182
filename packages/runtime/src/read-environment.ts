import type { Static, TObject } from "typebox";

/** Thrown for invalid environment variables. Contains their names, never their values. */
export class EnvironmentProblem extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("; "));
    this.name = "EnvironmentProblem";
    this.problems = problems;
  }
}

interface Field {
  readonly type?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Reads the variables in a schema and applies defaults. Reports all invalid values together. */
export function readEnvironment<Schema extends TObject>(
  schema: Schema,
  env: Readonly<Record<string, string | undefined>>,
): Static<Schema> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  const required = new Set((schema as { required?: readonly string[] }).required ?? []);
  for (const [name, field] of Object.entries(schema.properties as Record<string, Field>)) {
    const text = env[name];
    if (text === undefined || text === "") {
      if (field.default !== undefined) values[name] = field.default;
      else if (required.has(name)) problems.push(`${name} is not set`);
      continue;
    }
    const value = readValue(text, field);
    if (value === undefined) problems.push(`${name} must be ${describe(field)}`);
    else values[name] = value;
  }
  if (problems.length > 0) throw new EnvironmentProblem(problems);
  return values as Static<Schema>;
}

function readValue(text: string, field: Field): unknown {
  if (field.type === "integer" || field.type === "number") {
    const value = Number(text);
    const isFitting = field.type === "integer" ? Number.isInteger(value) : Number.isFinite(value);
    return isFitting && value >= (field.minimum ?? -Infinity) && value <= (field.maximum ?? Infinity)
      ? value
      : undefined;
  }
  if (field.type === "boolean")
    return ({ true: true, "1": true, false: false, "0": false } as const)[text.toLowerCase()];
  return text;
}

function describe(field: Field): string {
  const range =
    field.minimum !== undefined && field.maximum !== undefined ? ` from ${field.minimum} to ${field.maximum}` : "";
  return `${field.type === "boolean" ? "true or false" : `a ${field.type}`}${range}`;
}
