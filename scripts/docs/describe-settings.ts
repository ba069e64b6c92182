import { settingsJsonSchema } from "../../packages/runtime/src/settings/settings-json-schema.ts";

/** Subset of JSON Schema used by our settings. */
interface SettingSchema {
  readonly description?: string;
  readonly type?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly SettingSchema[];
  readonly items?: SettingSchema;
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly additionalProperties?: SettingSchema | boolean;
  readonly deprecated?: boolean;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

const intro = `# tollgate.yaml

Look up every setting in the settings file. A value of \`os.environ/NAME\` is replaced with the value of that environment variable. To find problems, run \`tollgate config check --config tollgate.yaml\`, which prints the line and column of each problem. For autocompletion in your editor, use \`settings.schema.json\`. Tollgate also reads LiteLLM configuration files; for the differences, see the [LiteLLM settings reference](litellm-keys.md).
`;

/** Renders the settings reference: a table for each section and subsection. */
export function describeSettingsPage(): string {
  const schema = settingsJsonSchema() as SettingSchema;
  const own = Object.entries(schema.properties ?? {}).filter(([, section]) => isOwn(section));
  const top = table(own);
  const sections = own.flatMap(([name, section]) => describeSection(name, section, 2));
  return [intro, top, ...sections].join("\n");
}

/** Reports whether a setting has an effect here and is not an alias. */
function isOwn({ deprecated, description = "" }: SettingSchema): boolean {
  return deprecated !== true && !description.startsWith("Same as ");
}

function describeSection(path: string, schema: SettingSchema, level: number): readonly string[] {
  const inner = innerOf(schema);
  const properties = Object.entries(inner?.properties ?? {}).filter(([, property]) => isOwn(property));
  if (properties.length === 0) return [];
  const note = schema.type === "array" ? "A list whose entries have these settings." : (schema.description ?? "");
  const below = properties.flatMap(([name, property]) =>
    describeSection(`${path}.${name}`, property, Math.min(level + 1, 4)),
  );
  return [`${"#".repeat(level)} \`${path}\`\n\n${sentence(note)}\n\n${table(properties)}`, ...below];
}

function innerOf(schema: SettingSchema): SettingSchema | undefined {
  if (schema.properties !== undefined) return schema;
  if (schema.items !== undefined) return innerOf(schema.items);
  if (typeof schema.additionalProperties === "object") return innerOf(schema.additionalProperties);
  return schema.anyOf?.map(innerOf).find((inner) => inner !== undefined);
}

function table(properties: readonly (readonly [string, SettingSchema])[]): string {
  const rows = properties.map(([name, property]) => {
    const value = property.default === undefined ? "" : `\`${JSON.stringify(property.default)}\``;
    return `| \`${name}\` | ${typeOf(property)} | ${value} | ${escapeCell(property.description ?? "")} |`;
  });
  return `| Setting | Type | Default | Description |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

function typeOf(schema: SettingSchema): string {
  // Any value can be an `os.environ/` reference, which the top of the page explains once.
  const [plain, ...others] = (schema.anyOf ?? []).filter(({ pattern }) => pattern !== "^os\\.environ/");
  if (plain !== undefined) return [...new Set([plain, ...others].map(typeOf))].join(" or ");
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (schema.type === "array") return `list of ${plural(typeOf(schema.items ?? {}))}`;
  if (schema.type === "object") return "map";
  if (schema.type === "integer" || schema.type === "number") return `${schema.type}${boundsOf(schema)}`;
  return { string: "string", boolean: "boolean" }[schema.type ?? ""] ?? "any";
}

/** Returns the type of a list's entries: `strings`, `maps`, or `any values`. */
function plural(type: string): string {
  return type === "any" ? "any values" : `${type}s`;
}

function boundsOf({ minimum, maximum }: SettingSchema): string {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (maximum !== undefined) return `, at most ${maximum}`;
  return minimum === undefined || minimum === 0 ? "" : `, at least ${minimum}`;
}

function sentence(text: string): string {
  return text === "" || /[.!?]$/.test(text) ? text : `${text}.`;
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "\\<").replaceAll("*", "\\*");
}
