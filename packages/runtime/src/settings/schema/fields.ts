import type { Secret } from "@tollgate/domain/secret.ts";
import { type Static, type TSchema, type TUnsafe, Type } from "typebox";
import type { SourceNode } from "../source-tree.ts";

/** Schema keywords used to read a field. Keywords that start with `x-` are custom, and editors ignore them. */
export interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly FieldSchema[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly additionalProperties?: FieldSchema;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  /** The value is read into a `Secret` and never appears in messages. */
  readonly "x-secret"?: true;
  /** The value is read exactly, as an integer multiple of 10^-n. */
  readonly "x-decimals"?: number;
  /** Supported names. Other names are reported and dropped, so that a newer or foreign name doesn't prevent startup. */
  readonly "x-known"?: readonly string[];
  /** Aliases of a setting, with their canonical names. */
  readonly "x-aliases"?: Readonly<Record<string, string>>;
  /** LiteLLM settings that have no effect, and what to do instead. */
  readonly "x-without-effect"?: Readonly<Record<string, string>>;
  /** The value is passed on without validation. The code that uses it validates it. */
  readonly "x-raw"?: true;
}

/** Makes a field optional: null if absent. All other fields have a default or are required. */
export const optional = <Field extends TSchema>(field: Field): TUnsafe<Static<Field> | null> =>
  Type.Unsafe<Static<Field> | null>({ ...field, default: null });

export const text = (description: string, defaultText?: string) =>
  Type.Unsafe<string>({ type: "string", minLength: 1, description, ...withDefault(defaultText) });

export const secret = (description: string) =>
  Type.Unsafe<Secret>({ type: "string", minLength: 1, description, "x-secret": true });

export const flag = (description: string, defaultValue: boolean) =>
  Type.Unsafe<boolean>({ type: "boolean", description, default: defaultValue });

export const optionalFlag = (description: string) => optional(Type.Boolean({ description }));

interface Bounds {
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

export const count = (description: string, bounds: Bounds = {}) =>
  Type.Unsafe<number>({ type: "integer", minimum: 0, description, ...bounds });

export const number = (description: string, bounds: Bounds = {}) =>
  Type.Unsafe<number>({ type: "number", minimum: 0, description, ...bounds });

const ONE_DAY_SECONDS = 86_400;

export const seconds = (description: string, bounds: Bounds = {}) =>
  Type.Unsafe<number>({ type: "number", exclusiveMinimum: 0, maximum: ONE_DAY_SECONDS, description, ...bounds });

const PICO_DECIMALS = 12;
const NANO_DECIMALS = 9;
const MILLIONTH_DECIMALS = 6;

/** A price that is written in USD per unit and read as pico-USD. */
export const price = (description: string) => decimal(`${description}, in USD`, PICO_DECIMALS);
/** An amount that is written in USD and read as nano-USD. */
export const usd = (description: string) => decimal(`${description}, in USD`, NANO_DECIMALS);
/** A fraction that is written as, for example, 0.05 and read as millionths. */
export const share = (description: string) => decimal(description, MILLIONTH_DECIMALS);

const decimal = (description: string, decimals: number) =>
  optional(Type.Unsafe<bigint>({ type: "number", minimum: 0, description, "x-decimals": decimals }));

export const choice = <const Value extends string>(
  description: string,
  values: readonly Value[],
  defaultValue?: NoInfer<Value>,
) => Type.Unsafe<Value>({ type: "string", enum: values, description, ...withDefault(defaultValue) });

/** A name from an open list: see `x-known`. */
export const knownName = <const Value extends string>(
  description: string,
  values: readonly Value[],
  defaultValue?: NoInfer<Value>,
) => Type.Unsafe<Value>({ type: "string", description, "x-known": values, ...withDefault(defaultValue) });

export const list = <Item extends TSchema>(
  description: string,
  item: Item,
  defaultItems: readonly Static<Item>[] = [],
) => Type.Unsafe<readonly Static<Item>[]>({ type: "array", items: item, description, default: defaultItems });

export const names = (description: string, defaultItems: readonly string[] = []) =>
  list(description, text("A name"), defaultItems);

export const mapOf = <Item extends TSchema>(description: string, item: Item) =>
  Type.Unsafe<Readonly<Record<string, Static<Item>>>>({
    type: "object",
    additionalProperties: item,
    description,
    default: {},
  });

/** A value that is passed on without validation. The code that uses it validates it. */
export const raw = (description: string) => Type.Unsafe<SourceNode>({ description, "x-raw": true });

function withDefault(value: unknown): { default?: unknown } {
  return value === undefined ? {} : { default: value };
}
