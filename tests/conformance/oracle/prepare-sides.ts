interface ManagedSide {
  readonly baseUrl: string;
  readonly masterKey: string;
}

const EMAIL = "ada@example.org";

/** Creates the organization and the user to which the questions about keys and teams refer. */
export async function prepareLitellm(side: ManagedSide): Promise<Map<string, string>> {
  const organization = await call(side, "/organization/new", { organization_alias: "Acme" });
  const user = await call(side, "/user/new", { user_email: EMAIL, user_role: "internal_user", auto_create_key: false });
  return keptOf(organization.organization_id, user.user_id, EMAIL);
}

/** Finds the organization and the user of a new development instance. */
export async function prepareTollgate(
  side: ManagedSide & { readonly apiKey: string; readonly admin: { readonly email: string } },
): Promise<Map<string, string>> {
  const { info } = await call(side, `/key/info?key=${side.apiKey}`);
  const { organization_id, user_id } = info as Record<string, unknown>;
  return keptOf(organization_id, user_id, side.admin.email);
}

function keptOf(organization: unknown, user: unknown, email: string): Map<string, string> {
  return new Map([
    ["ORGANIZATION", String(organization)],
    ["USER", String(user)],
    ["EMAIL", email],
    ["TODAY", new Date().toISOString().slice(0, 10)],
  ]);
}

async function call(
  { baseUrl, masterKey }: ManagedSide,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${masterKey}`, "content-type": "application/json" };
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(baseUrl + path, { headers, ...sent });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}
