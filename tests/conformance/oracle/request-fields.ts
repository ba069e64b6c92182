/** Names of the fields that a request can have, by operation, such as `POST /key/generate`. */
export type RequestFields = Readonly<Record<string, readonly string[]>>;

interface AskedGateway {
  readonly baseUrl: string;
  readonly masterKey: string;
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation | undefined>> | undefined>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface OpenApiOperation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
}

const key = "0".repeat(64);
const team_id = "team_01K0000000000000000000000A";
const person = { user_id: "999999", role: "user" };

/** The compared operations, each with a request that has only the required fields and changes nothing. */
const operations: Readonly<Record<string, object>> = {
  "POST /key/generate": { team_id },
  "POST /key/update": { key },
  "POST /key/delete": { keys: [key] },
  "POST /key/block": { key },
  "POST /key/unblock": { key },
  "GET /key/info": {},
  "GET /key/list": {},
  "POST /team/new": { organization_id: "absent" },
  "POST /team/update": { team_id },
  "POST /team/delete": { team_ids: [team_id] },
  "POST /team/block": { team_id },
  "POST /team/unblock": { team_id },
  "POST /team/member_add": { team_id, member: person },
  "POST /team/member_update": { team_id, ...person },
  "POST /team/member_delete": { team_id, ...person },
  "GET /team/info": { team_id },
  "GET /team/list": {},
  "GET /spend/logs": {},
  "GET /global/spend/report": {},
  "GET /user/daily/activity": {},
  "GET /team/daily/activity": {},
  "POST /spend/calculate": {},
  "POST /model/delete": { id: "absent" },
};

/** Names of the compared operations. */
export const comparedOperations: readonly string[] = Object.keys(operations);

/** Reads the request fields of the compared operations from a gateway's API description. */
export async function readRequestFields({ baseUrl }: Pick<AskedGateway, "baseUrl">): Promise<RequestFields> {
  const description = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as OpenApi;
  return Object.fromEntries(
    comparedOperations.map((name) => {
      const [method = "", path = ""] = name.split(" ");
      const operation = description.paths[path]?.[method.toLowerCase()];
      if (operation === undefined) throw new Error(`${baseUrl} does not describe ${name}`);
      const parameters = (operation.parameters ?? []).filter((one) => one.in === "query").map((one) => one.name);
      const schema = operation.requestBody?.content?.["application/json"]?.schema ?? {};
      return [name, [...new Set([...parameters, ...fieldsOf(schema, description)])].toSorted()];
    }),
  );
}

/** Returns the wanted fields that a gateway neither describes nor refuses by name. */
export async function findUnheeded(side: AskedGateway, wanted: RequestFields): Promise<RequestFields> {
  const described = await readRequestFields(side);
  const unheeded: Record<string, readonly string[]> = {};
  for (const [name, fields] of Object.entries(wanted)) {
    const others = fields.filter((field) => !described[name]?.includes(field));
    const refused = await Promise.all(others.map((field) => isRefused(side, name, field)));
    unheeded[name] = others.filter((_field, index) => !refused[index]);
  }
  return unheeded;
}

async function isRefused({ baseUrl, masterKey }: AskedGateway, name: string, field: string): Promise<boolean> {
  const [method = "", path = ""] = name.split(" ");
  const request = { ...operations[name], [field]: "x" };
  const headers = { authorization: `Bearer ${masterKey}`, "content-type": "application/json" };
  const answer =
    method === "GET"
      ? await fetch(`${baseUrl}${path}?${new URLSearchParams(request as Record<string, string>)}`, { headers })
      : await fetch(baseUrl + path, { method, headers, body: JSON.stringify(request) });
  const { error } = (await answer.json()) as { readonly error?: { readonly param?: unknown } };
  return answer.status === 400 && error?.param === field;
}

function fieldsOf(schema: Schema, description: OpenApi): readonly string[] {
  const named = description.components?.schemas?.[schema.$ref?.split("/").at(-1) ?? ""];
  const parts = [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(named === undefined ? [] : [named])];
  return [...Object.keys(schema.properties ?? {}), ...parts.flatMap((part) => fieldsOf(part, description))];
}
