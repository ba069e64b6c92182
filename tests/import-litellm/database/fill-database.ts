import { querySql } from "../../../packages/testkit/src/database.ts";
import { waitFor } from "../../../packages/testkit/src/wait-for.ts";

type Call = (path: string, body: object, key?: string) => Promise<Record<string, unknown>>;

const SPEND_LIMIT_MS = 60_000;
const question = { model: "metered", messages: [{ role: "user", content: "hello" }] };

/**
 * Uses LiteLLM's API to create users, teams, and keys of every kind that the import supports. Returns the key secrets.
 */
export async function fillDatabase(call: Call, connectionString: string): Promise<Readonly<Record<string, string>>> {
  const secrets: Record<string, string> = {};
  const key = async (name: string, fields: object = {}) => {
    const made = await call("/key/generate", { key_alias: name, ...fields });
    secrets[name] = made.key as string;
  };
  const user = (user_id: string, fields: object) => call("/user/new", { user_id, auto_create_key: false, ...fields });

  const acme = await call("/organization/new", {
    organization_alias: "Acme",
    models: ["metered", "free"],
    max_budget: 100,
    budget_duration: "30d",
    rpm_limit: 600,
    tpm_limit: 5_000_000,
  });
  const organization_id = acme.organization_id;
  await user("ada", { user_email: "Ada@Example.org", user_alias: "Ada", user_role: "internal_user", max_budget: 5 });
  await user("bob", { user_email: "bob@example.org", user_role: "internal_user" });
  await user("carol", { user_email: "carol@example.org", user_role: "proxy_admin" });
  await user("ci-robot", { user_role: "internal_user" });
  await call("/organization/member_add", { organization_id, member: { role: "org_admin", user_id: "ada" } });

  const research = await call("/team/new", {
    team_alias: "Research",
    organization_id,
    models: ["metered", "free"],
    max_budget: 10,
    budget_duration: "7d",
    tpm_limit: 100_000,
    model_aliases: { "gpt-4o": "metered" },
    metadata: { cost_centre: "r1" },
    members_with_roles: [
      { role: "admin", user_id: "ada" },
      { role: "user", user_id: "bob" },
    ],
  });
  const solo = await call("/team/new", { team_alias: "Solo", rpm_limit: 120 });
  const version = await call("/team/new", { team_alias: "solo", tpm_limit: 9_000_000_000 });
  const closed = await call("/team/new", { team_alias: "Closed" });
  const team_id = research.team_id;

  await key("research", { team_id, user_id: "ada", models: ["all-team-models"], max_budget: 1 });
  await key("aliased", { team_id, user_id: "bob", models: ["metered"], aliases: { cheap: "metered" }, rpm_limit: 30 });
  await key("spent", { team_id: solo.team_id, max_budget: 0.05 });
  await key("monthly", { team_id: solo.team_id, max_budget: 0.1, budget_duration: "1mo" });
  await key("blocked", { team_id: solo.team_id });
  await key("expired", { team_id: solo.team_id, duration: "1s" });
  await key("later", { team_id: solo.team_id, duration: "3650d" });
  await key("of-closed-team", { team_id: closed.team_id });
  await key("in-twin", { team_id: version.team_id, tpm_limit: 9_000_000_000 });
  await key("personal", { user_id: "ada", metadata: { note: "mine" } });
  await key("robot", { user_id: "ci-robot", model_rpm_limit: { metered: 7 }, model_tpm_limit: { metered: 7_000 } });
  await key("chosen", { key: "sk-our-own-words-0001" });
  await key("routed", { allowed_routes: ["llm_api_routes"], max_parallel_requests: 3 });
  await key("soft", { soft_budget: 3 });
  await call("/key/block", { key: secrets.blocked });
  await call("/team/block", { team_id: closed.team_id });
  // Create two deployments with the same name, so that LiteLLM balances calls between them. LiteLLM encrypts their
  // parameters with its salt key.
  const litellm_params = {
    model: "openai/gpt-4o-mini",
    api_key: "sk-upstream-0123456789",
    api_base: "https://models.example/v1",
  };
  await call("/model/new", { model_name: "stored", litellm_params, model_info: {} });
  await call("/model/new", { model_name: "stored", litellm_params, model_info: {} });

  // Call LiteLLM with these keys, so that it records their spend. It finds the keys by their stored hashes.
  for (const name of ["spent", "monthly", "research"]) await call("/v1/chat/completions", question, secrets[name]);
  await waitFor(
    "what was spent",
    async () => {
      const rows = await querySql<{ spent: string }>(
        connectionString,
        `select count(*) as spent from "LiteLLM_VerificationToken" where spend > 0`,
      );
      return Number(rows[0]?.spent) >= 3 || null;
    },
    { limitMs: SPEND_LIMIT_MS },
  );
  return secrets;
}
