import { Environment } from "../../packages/runtime/src/environment.ts";

const intro = `# Environment variables

Look up the environment variables for \`tollgate serve\`, \`tollgate dev\`, and the other server commands. If a value is invalid, the program exits before it starts listening, and the error message contains the variable's name but never its value. All other settings are in the settings file, [tollgate.yaml](settings.md). Provider API keys are read from the variables named in the settings or on the [provider pages](../providers/).
`;

/** Renders the environment variable reference. */
export function describeEnvironmentPage(): string {
  // TypeBox types don't expose the description that exists at run time.
  const variables: Readonly<Record<string, unknown>> = Environment.properties;
  const rows = Object.entries(variables).flatMap(([name, schema]) => {
    const { description, default: value, minimum, maximum } = schema as VariableSchema;
    if (description === undefined) return [];
    const range = minimum === undefined || maximum === undefined ? "" : ` (${minimum} to ${maximum})`;
    const text = description.replace(/\.$/, `${range}.`);
    return [`| \`${name}\` | ${value === undefined ? "" : `\`${String(value)}\``} | ${text} |`];
  });
  return `${intro}
| Variable | Default | Description |
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
