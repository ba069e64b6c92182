/** A parameter of a function, from the JSON schema of its parameters. */
interface ToolParameter {
  readonly name: string;
  /** Type in words, such as `string` or `array of number`; null if the schema names none. */
  readonly type: string | null;
  readonly isRequired: boolean;
  readonly description: string | null;
}

type Schema = Readonly<Record<string, unknown>>;

/** Lists the parameters of a function. A schema in another form, which the API accepts, has none. */
export function toolParameters(parameters: unknown): readonly ToolParameter[] {
  const { properties, required } = asSchema(parameters);
  const names = Array.isArray(required) ? required : [];
  return Object.entries(asSchema(properties)).map(([name, value]) => {
    const schema = asSchema(value);
    return { name, type: typeOf(schema), isRequired: names.includes(name), description: textOf(schema.description) };
  });
}

function typeOf({ type, items, enum: values }: Schema): string | null {
  if (Array.isArray(values)) return values.map(String).join(" | ");
  if (Array.isArray(type)) return type.map(String).join(" | ");
  const inner = type === "array" ? textOf(asSchema(items).type) : null;
  return inner === null ? textOf(type) : `array of ${inner}`;
}

const asSchema = (value: unknown): Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : {};

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
