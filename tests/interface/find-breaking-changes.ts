/** Subset of JSON Schema that both descriptions use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}

interface Body {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Body>>;
}

export interface InterfaceDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

type Direction = "request" | "response";

const DEEPEST = 12;
const methods = ["get", "post", "put", "patch", "delete"];

/** Returns one sentence for each change that breaks a client of `before`. Additions are not breaking. */
export function findBreakingChanges(before: InterfaceDocument, after: InterfaceDocument): readonly string[] {
  const comparison = new Comparison(before, after);
  for (const [path, operations] of Object.entries(before.paths)) {
    for (const method of methods.filter((name) => name in operations)) {
      const old = operations[method] as Operation;
      const current = after.paths[path]?.[method];
      const name = `${method.toUpperCase()} ${path}`;
      if (current === undefined) comparison.report(`${name} is gone`);
      else comparison.compareOperations(name, old, current);
    }
  }
  return [...comparison.found];
}

class Comparison {
  readonly found = new Set<string>();
  readonly #before: InterfaceDocument;
  readonly #after: InterfaceDocument;

  constructor(before: InterfaceDocument, after: InterfaceDocument) {
    this.#before = before;
    this.#after = after;
  }

  report(change: string): void {
    this.found.add(change);
  }

  compareOperations(name: string, before: Operation, after: Operation): void {
    this.#compareParameters(name, before.parameters ?? [], after.parameters ?? []);
    if (after.requestBody?.required === true && before.requestBody?.required !== true) {
      this.report(`${name} needs a body now`);
    }
    this.#compareBodies(name, "request", before.requestBody, after.requestBody);
    for (const [status, body] of Object.entries(before.responses ?? {})) {
      const current = after.responses?.[status];
      if (current === undefined && status.startsWith("2")) this.report(`${name} answers ${status} no more`);
      else this.#compareBodies(`${name} → ${status}`, "response", body, current);
    }
  }

  #compareParameters(name: string, before: readonly Parameter[], after: readonly Parameter[]): void {
    const sameAs = (one: Parameter) => (other: Parameter) => other.name === one.name && other.in === one.in;
    for (const old of before) {
      if (!after.some(sameAs(old))) this.report(`${name} takes the ${old.in} parameter ${old.name} no more`);
    }
    for (const current of after.filter(({ required }) => required)) {
      if (before.find(sameAs(current))?.required !== true) this.report(`${name} needs ${current.name} now`);
    }
  }

  #compareBodies(name: string, direction: Direction, before: Body | undefined, after: Body | undefined): void {
    for (const [type, { schema }] of Object.entries(before?.content ?? {})) {
      const current = after?.content?.[type];
      if (current === undefined) this.report(`${name} has no ${type} any more`);
      else if (schema !== undefined && current.schema !== undefined) {
        this.#compareSchemas(name, direction, schema, current.schema, 0);
      }
    }
  }

  #compareSchemas(name: string, direction: Direction, one: Schema, other: Schema, depth: number): void {
    if (depth > DEEPEST) return;
    const before = follow(one, this.#before);
    const after = follow(other, this.#after);
    const [oldType, newType] = [typesOf(before), typesOf(after)];
    const lost = direction === "request" ? oldType.filter((type) => !newType.includes(type)) : [];
    const grown = direction === "response" ? newType.filter((type) => !oldType.includes(type)) : [];
    // A schema without a type allows any type.
    if (oldType.length > 0 && newType.length > 0 && lost.length + grown.length > 0) {
      this.report(`${name} was ${oldType.join(" or ")} and is ${newType.join(" or ")}`);
    }
    if (direction === "request" && before.enum !== undefined && after.enum !== undefined) {
      for (const value of before.enum) {
        if (!after.enum.includes(value)) this.report(`${name} may be ${JSON.stringify(value)} no more`);
      }
    }
    this.#compareProperties(name, direction, before, after, depth);
    if (before.items !== undefined && after.items !== undefined) {
      this.#compareSchemas(`${name}[]`, direction, before.items, after.items, depth + 1);
    }
  }

  #compareProperties(name: string, direction: Direction, before: Schema, after: Schema, depth: number): void {
    const [old, current] = [before.properties, after.properties];
    if (old === undefined || current === undefined) return;
    for (const [property, schema] of Object.entries(old)) {
      const now = current[property];
      const path = `${name} ${property}`;
      if (now === undefined) this.report(`${path} is gone`);
      else this.#compareSchemas(path, direction, schema, now, depth + 1);
      const wasSure = before.required?.includes(property) === true;
      const isSure = after.required?.includes(property) === true;
      if (direction === "response" && now !== undefined && wasSure && !isSure) {
        this.report(`${path} may be missing now`);
      }
    }
    if (direction === "response") return;
    for (const property of after.required ?? []) {
      if (before.required?.includes(property) !== true) this.report(`${name} ${property} is needed now`);
    }
  }
}

function follow(schema: Schema, document: InterfaceDocument): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : (document.components?.schemas?.[name] ?? {});
}

function typesOf({ type }: Schema): readonly string[] {
  if (type === undefined) return [];
  return typeof type === "string" ? [type] : type;
}
