import { knownProviders } from "../apps/server/src/known-providers.ts";
import { loadSettings } from "../packages/runtime/src/settings/load-settings.ts";
import { SettingsFile } from "../packages/runtime/src/settings/schema/settings-file.ts";

interface Section {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Section>>;
  readonly items?: Section;
  readonly anyOf?: readonly Section[];
  readonly "x-aliases"?: Readonly<Record<string, string>>;
  readonly "x-without-effect"?: Readonly<Record<string, string>>;
}

/** Names in these sections that LiteLLM 1.84.0 does not have. The settings reference describes them. */
const ours = new Set(
  (
    "unknown_params allowed_params allowed_headers error_code_style emulate_n allow_mock cost_margin cost_discount mid_stream_fallback " +
    "max_num_retries_per_request max_upstream_calls key_headers listeners http_parser upstream_http_client trusted_proxies internal_addresses " +
    "disable_admin_ui expose_api_base expose_upstream_headers hide_inaccessible_models allow_model_id_calls " +
    "max_connections_per_ip rate_limit_window_seconds require_auth_for_metrics metrics_labels ai_sdk scope"
  ).split(" "),
);

/** Sets keys that are read but have no effect, so that the settings reader itself reports them. */
const unenforced = `
gw_settings: {max_budget: 1, include_cost_in_streaming_usage: true, enable_json_schema_validation: true}
router_settings: {optional_pre_call_checks: [prompt_caching]}
general_settings: {alerting: [webhook], store_prompts_in_spend_logs: true}
model_list:
  - model_name: a
    litellm_params: {model: bedrock/a, aws_role_name: a, aws_session_name: a, aws_profile_name: a, aws_web_identity_token: a, aws_access_key_id: a, aws_secret_access_key: a, aws_region_name: us-east-1, input_cost_per_pixel: 0.1, configurable_clientside_auth_params: [api_key]}
`;

/** Renders the page that describes the support for every LiteLLM key, from the schema that reads such files. */
export function describeLitellmKeys(): string {
  const root = SettingsFile as unknown as Section;
  const entry = objectIn(member(root, "model_list").items);
  const gateway = member(root, "gw_settings");
  const sections: readonly [title: string, section: Section][] = [
    ["Top level", root],
    ["`model_list` entries", entry],
    ["`litellm_params`", member(entry, "litellm_params")],
    ["`model_info`", member(entry, "model_info")],
    ["`litellm_settings`", gateway],
    ["`litellm_settings.cache_params`", member(gateway, "cache_params")],
    ["`router_settings`", member(root, "router_settings")],
    ["`general_settings`", member(root, "general_settings")],
    ["`guardrails` entries", objectIn(member(root, "guardrails").items)],
    ["`credential_list` entries", objectIn(member(root, "credential_list").items)],
  ];
  const notes = readAdvice();
  const tables = sections.map(([title, section]) => describeSection(title, section, notes));
  const count = (status: string) => tables.flatMap(({ rows }) => rows).filter((row) => row.status === status).length;
  return `# LiteLLM settings reference

Look up how Tollgate handles each key in a LiteLLM 1.84.0 \`config.yaml\`. This page is generated from the code by \`bin/pnpm generate\`.

Of LiteLLM's keys, ${count("supported")} are supported under the same name, ${count("partial")} are read but have partial or no effect, ${count("renamed")} have a different name or location in Tollgate, and ${count("ignored")} have no effect. If a key isn't in these tables, Tollgate reports it with its line number. A likely misspelling prevents the server from starting. Any other unknown key has no effect. To list the keys in your file that have no effect, run:

\`\`\`sh
tollgate config check --config config.yaml
tollgate config convert config.yaml > tollgate.yaml     # the same file with Tollgate's names
\`\`\`

For settings that only Tollgate has, see [tollgate.yaml](settings.md). For the full migration, see [Migrate from LiteLLM](../migrate/litellm.md).

${tables.map(({ text }) => text).join("\n")}`;
}

interface Row {
  readonly name: string;
  readonly status: "supported" | "partial" | "renamed" | "ignored";
  readonly text: string;
}

/** Sections that LiteLLM does not have. */
const ownSections = new Set(
  "gw_settings billing prices platform signUp auth email usage checkpoints limits assistants training_settings tls".split(
    " ",
  ),
);

function describeSection(title: string, section: Section, notes: ReadonlyMap<string, string>) {
  const isFile = title === "Top level";
  const supported = Object.entries(section.properties ?? {})
    .filter(([name]) => !ours.has(name) && !(isFile && ownSections.has(name)))
    .map(([name, field]): Row => {
      const note = isFile ? undefined : notes.get(name);
      if (note !== undefined)
        return { name, status: "partial", text: `${withoutRemark(describeField(field))}. ${capitalized(note)}` };
      return { name, status: "supported", text: describeField(field) };
    });
  const renamed = Object.entries(section["x-aliases"] ?? {}).map(
    ([name, own]): Row => ({ name, status: "renamed", text: `Read as \`${own}\`` }),
  );
  const without = Object.entries(section["x-without-effect"] ?? {}).map(
    ([name, reason]): Row => ({
      name,
      status: reason.startsWith("use ") ? "renamed" : "ignored",
      text: capitalized(reason),
    }),
  );
  const rows = [...supported, ...renamed, ...without];
  const lines = rows.map(({ name, status, text }) => `| \`${name}\` | ${status} | ${inCell(text)} |`);
  return { rows, text: `## ${title}\n\n| Key | Status | Description |\n|---|---|---|\n${lines.join("\n")}\n` };
}

/** Removes the remark about the effect, because this page's note covers it with more detail. */
function withoutRemark(description: string): string {
  return description.replace(/ \((?:no effect|only|shown but|this version)\b[^)]*\)/, "");
}

function describeField(field: Section): string {
  return field.description ?? objectIn(field).description ?? "";
}

function member(section: Section, name: string): Section {
  const found = section.properties?.[name];
  if (found === undefined) throw new Error(`the settings have no ${name}`);
  return found.items === undefined ? objectIn(found) : found;
}

/** Returns the object schema from a union with null or other forms. */
function objectIn(section: Section | undefined): Section {
  const found = section?.anyOf?.find(({ properties }) => properties !== undefined) ?? section;
  if (found === undefined) throw new Error("the settings have no such list");
  return found;
}

function readAdvice(): ReadonlyMap<string, string> {
  const loaded = loadSettings({ files: [{ name: "all.yaml", text: unenforced }], env: {}, providers: knownProviders });
  if (loaded.kind === "refused") throw new Error(`the sample is refused: ${JSON.stringify(loaded.problems)}`);
  return new Map(
    loaded.warnings
      .filter(({ kind }) => kind === "advice")
      .map(({ path, suggestion = "" }) => [path.replace(/^.*[.\]]/, ""), suggestion]),
  );
}

const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

const inCell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
