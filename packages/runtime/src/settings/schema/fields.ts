import type { Secret } from "@tollgate/domain/secret.ts";
import { type Static, type TSchema, type TUnsafe, Type } from "typebox";
import type { SourceNode } from "../source-tree.ts";

/** The keywords of a field's description that reading it looks at. Those with `x-` are ours; editors pass over them. */
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
  /** Read into a `Secret`; its value appears in no message. */
  readonly "x-secret"?: true;
  /** Read exactly, as an integer count of 10^-n. */
  readonly "x-decimals"?: number;
  /** Names with a meaning here. Others are reported and left out, so that a newer or foreign name stops nothing. */
  readonly "x-known"?: readonly string[];
  /** Other spellings of a setting, and the one they stand for. */
  readonly "x-aliases"?: Readonly<Record<string, string>>;
  /** LiteLLM settings that do nothing here, and what to do instead. */
  readonly "x-without-effect"?: Readonly<Record<string, string>>;
  /** Handed over as written, for a reader that must look first. */
  readonly "x-raw"?: true;
}

/** Every field is either given a default, made optional (absent is null), or must be written. */
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

/** USD per unit as written, pico-USD as read. */
export const price = (description: string) => decimal(`${description}, in USD`, PICO_DECIMALS);
/** USD as written, nano-USD as read. */
export const usd = (description: string) => decimal(`${description}, in USD`, NANO_DECIMALS);
/** A share such as 0.05 as written, millionths as read. */
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

/** A value handed on as written, for a reader that must look at a part of it first. */
export const raw = (description: string) => Type.Unsafe<SourceNode>({ description, "x-raw": true });

function withDefault(value: unknown): { default?: unknown } {
  return value === undefined ? {} : { default: value };
}
