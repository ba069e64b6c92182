import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { MASTER_KEY } from "@tollgate/gateway/test-gateway.fixture.ts";
import type { ApiAnswer } from "@tollgate/testkit/api-client.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test as hosted, type Person } from "./hosted-platform.fixture.ts";

/** A user with a management key. A key has only the management routes that are granted to it. */
interface ManagingPerson extends Person {
  readonly userId: number;
  readonly managing: string;
}

/** Extends `test` with a gateway that hosts the platform and with users who have management keys. */
export const test = hosted.extend("scene", { scope: "file" }, async ({ database, hosted: platform }) => {
  const call = (method: string, path: string, key: string, body?: unknown): Promise<ApiAnswer> =>
    platform.api(method, path, { headers: { "x-gw-api-key": key }, ...(body !== undefined && { body }) });
  /** Creates a management key for a user by calling the API with the master key. */
  const managingKey = async (userId: number, teamId: string): Promise<string> => {
    const made = await call("POST", "/key/generate", MASTER_KEY, {
      team_id: teamId,
      user_id: String(userId),
      key_alias: "managing",
      allowed_routes: ["management_routes", "llm_api_routes"],
    });
    if (made.status !== 200) throw new Error(`no managing key was made: ${made.status} ${made.text}`);
    return made.body.key as string;
  };
  const addPerson = async (): Promise<ManagingPerson> => {
    const person = await platform.signUp();
    const [row] = await querySql<{ id: number }>(
      database.connectionString,
      `select id from users where email = '${person.email}'`,
    );
    const userId = Number(row?.id);
    return { ...person, userId, managing: await managingKey(userId, person.teamId) };
  };
  return {
    database,
    hosted: platform,
    master: MASTER_KEY,
    call,
    managingKey,
    addPerson,
    makeAdministrator: (userId: number) =>
      runAsAdministrator(database.connect("tollgate_platform"), (transaction) =>
        transaction.updateTable("users").set({ role: "admin" }).where("id", "=", userId).execute(),
      ),
    /** Adds an existing user to another organization. */
    join: (organizationId: string, userId: number, role: "admin" | "member") =>
      runAsAdministrator(database.connect("tollgate_platform"), (transaction) =>
        transaction
          .insertInto("organization_members")
          .values({ organization_id: organizationId, user_id: userId, role })
          .execute(),
      ),
    /** Removes a user from an organization and its teams. */
    leave: (organizationId: string, userId: number) =>
      runAsAdministrator(database.connect("tollgate_platform"), (transaction) =>
        transaction
          .deleteFrom("organization_members")
          .where("organization_id", "=", organizationId)
          .where("user_id", "=", userId)
          .execute(),
      ),
    chat: (key: string, model = "metered") =>
      call("POST", "/v1/chat/completions", key, {
        model,
        messages: [{ role: "user", content: "hello" }],
        max_tokens: 10,
      }),
    audited: (action: string, target: string) =>
      querySql<{ actor: { type: string; id: string }; after: Record<string, unknown> | null }>(
        database.connectionString,
        `select actor, after from audit_log where action = '${action}' and target->>'id' = '${target}' order by seq`,
      ),
  };
});
