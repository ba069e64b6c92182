import { Environment } from "../../apps/server/src/environment.ts";

const intro = `# Environment variables

What \`tollgate serve\`, \`tollgate dev\` and the other commands of a server read, from the schema that reads it. A bad value
stops the program before it listens, and the message names the variable and never its value. Everything else is in the
settings file: [tollgate.yaml](settings.md). Keys of providers are read from the variables that the settings or the
[providers' pages](../providers/) name.
`;

/** The reference of the server's environment. */
export function describeEnvironmentPage(): string {
  // What TypeBox keeps of a description at run time, its types do not tell.
  const variables: Readonly<Record<string, unknown>> = Environment.properties;
  const rows = Object.entries(variables).flatMap(([name, schema]) => {
    const { description, default: value, minimum, maximum } = schema as VariableSchema;
    if (description === undefined) return [];
    const range = minimum === undefined || maximum === undefined ? "" : ` (${minimum} to ${maximum})`;
    return [`| \`${name}\` | ${value === undefined ? "" : `\`${String(value)}\``} | ${description}${range} |`];
  });
  return `${intro}
| Variable | Default | Meaning |
|---|---|---|
${rows.join("\n")}
`;
}

interface VariableSchema {
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}
