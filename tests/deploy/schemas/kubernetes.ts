import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { type Schema, SOURCES, type Validate } from "./schema.ts";
import { makeStrict, mapValues } from "./strict.ts";

interface Named {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface CustomResource {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

const METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";

/** Returns strict schemas for every Kubernetes kind and for the custom resources in the chart, by `apiVersion kind`. */
function readKubernetesSchemas(): { definitions: Record<string, Schema>; kinds: Map<string, string> } {
  const { definitions } = JSON.parse(readFileSync(new URL("kubernetes/swagger.json", SOURCES), "utf8")) as {
    definitions: Record<string, Schema>;
  };
  const strict = mapValues(definitions, makeStrict);
  // Quantities are strings, but Kubernetes also accepts numbers.
  strict[QUANTITY] = { type: ["string", "number"] };
  const kinds = new Map<string, string>();
  for (const [name, definition] of Object.entries(definitions)) {
    for (const named of (definition["x-kubernetes-group-version-kind"] ?? []) as Named[]) kinds.set(keyOf(named), name);
  }
  for (const { group, version, kind, schema } of readCustomResources()) {
    const properties = { ...(schema.properties as object), metadata: { $ref: `#/definitions/${METADATA}` } };
    const name = `${group}.${version}.${kind}`;
    strict[name] = makeStrict({ ...schema, properties });
    kinds.set(keyOf({ group, version, kind }), name);
  }
  return { definitions: strict, kinds };
}

const keyOf = ({ group, version, kind }: Named) => `${group === "" ? version : `${group}/${version}`} ${kind}`;

function* readCustomResources(): Generator<Named & { schema: Schema }> {
  const folder = new URL("custom/", SOURCES);
  for (const file of readdirSync(folder)) {
    const { spec } = parse(readFileSync(new URL(file, folder), "utf8")) as CustomResource;
    for (const { name, schema } of spec.versions) {
      yield { group: spec.group, version: name, kind: spec.names.kind, schema: schema.openAPIV3Schema };
    }
  }
}

/** Creates a validator for Kubernetes objects of any kind. */
export function createKubernetesValidator(): Validate {
  const { definitions, kinds } = readKubernetesSchemas();
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true, logger: false });
  ajv.addSchema({ $id: "kubernetes", definitions });
  return (document) => {
    const { apiVersion, kind } = document as { apiVersion: string; kind: string };
    const name = kinds.get(`${apiVersion} ${kind}`);
    if (name === undefined) return [`there is no ${kind} in ${apiVersion}`];
    const validate = ajv.getSchema(`kubernetes#/definitions/${name}`);
    if (validate === undefined) throw new Error(`no schema for ${name}`);
    if (validate(document) === true) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${kind} ${instancePath}: ${message} ${params.additionalProperty ?? params.missingProperty ?? ""}`,
    );
  };
}

/** Writes the same schemas to files, one per kind, in the layout that kubeconform reads. */
export function writeKubeconformSchemas(folder: string): void {
  const { definitions, kinds } = readKubernetesSchemas();
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/definitions.json`, JSON.stringify({ definitions }));
  for (const [key, name] of kinds) {
    const [apiVersion = "", kind = ""] = key.split(" ");
    // kubeconform names API groups by their first word.
    const file = `${kind.toLowerCase()}-${apiVersion.replace(/\.[^/]*/, "").replace("/", "-")}.json`;
    writeFileSync(`${folder}/${file}`, JSON.stringify({ $ref: `definitions.json#/definitions/${name}` }));
  }
}
