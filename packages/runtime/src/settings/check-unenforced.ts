import type { preCallChecks } from "./schema/router-section.ts";
import type { SettingsFile } from "./schema/settings-file.ts";
import type { SettingsReader } from "./settings-reader.ts";
import { descend } from "./source-tree.ts";

/** A setting that is read but not enforced: its name, whether the file sets it, and what to do instead. */
type Row = readonly [name: string, isSet: boolean, suggestion: string];

const unheldCheck: (typeof preCallChecks)[number] = "router_budget_limiting";

/** Warns about settings that are read but not enforced yet, so that operators don't rely on them. */
export function checkUnenforced(file: SettingsFile, reader: SettingsReader): void {
  adviseIn(file, fileRows(file), reader);
  adviseIn(file.gw_settings, gatewayRows(file.gw_settings), reader);
  adviseIn(file.router_settings, routerRows(file.router_settings), reader);
  adviseIn(file.general_settings, generalRows(file.general_settings), reader);
  const { exposeBalance } = file.billing;
  adviseIn(file.billing, [["exposeBalance", exposeBalance, "this version does not send a balance header"]], reader);
  for (const { litellm_params, model_info } of file.model_list) {
    for (const part of [litellm_params, model_info]) {
      const hasPixels = part.input_cost_per_pixel !== null;
      const perImage =
        "this version displays this price but does not use it for billing; set output_cost_per_image instead";
      adviseIn(part, [["input_cost_per_pixel", hasPixels, perImage]], reader);
    }
  }
}

function fileRows({ assistants }: SettingsFile): readonly Row[] {
  return [
    [
      "assistants",
      assistants.mode === "passthrough",
      "this version does not support passthrough; assistants run on this server with models from model_list",
    ],
  ];
}

function gatewayRows(section: SettingsFile["gw_settings"]): readonly Row[] {
  return [
    [
      "max_budget",
      section.max_budget !== null,
      "this version does not enforce a global budget; set budgets on organizations",
    ],
    [
      "emulate_n",
      section.emulate_n,
      "this version does not support this setting; providers that return only one choice reject n above 1",
    ],
    [
      "include_cost_in_streaming_usage",
      section.include_cost_in_streaming_usage,
      "this version does not include the cost in streams",
    ],
    [
      "enable_json_schema_validation",
      section.enable_json_schema_validation,
      "this version does not validate responses",
    ],
    ["allow_mock", section.allow_mock, "this version rejects mock_response; use a sim/ model"],
  ];
}

function routerRows({
  mid_stream_fallback,
  optional_pre_call_checks,
}: SettingsFile["router_settings"]): readonly Row[] {
  const isUnheld = optional_pre_call_checks.includes(unheldCheck);
  return [
    [
      "mid_stream_fallback",
      mid_stream_fallback,
      "this version does not support this setting; an interrupted stream ends with an error",
    ],
    [
      "optional_pre_call_checks",
      isUnheld,
      `this version does not support ${unheldCheck}; set budgets on organizations, teams, and keys`,
    ],
  ];
}

function generalRows({ alerting, store_prompts_in_spend_logs }: SettingsFile["general_settings"]): readonly Row[] {
  return [
    ["alerting", alerting.length > 0, "this version does not send alerts; create webhooks with the management API"],
    [
      "store_prompts_in_spend_logs",
      store_prompts_in_spend_logs === true,
      "prompt storage is configured per organization; set logPrompts on the organization",
    ],
  ];
}

function adviseIn(section: object, rows: readonly Row[], reader: SettingsReader): void {
  for (const [name, isSet, suggestion] of rows) {
    if (!isSet) continue;
    const source = reader.sourceOf(section);
    // Some of these settings have the suffix `_config` in LiteLLM files.
    const written = descend(source, name) ?? descend(source, `${name}_config`) ?? source;
    reader.findings.warn("advice", written.place, name, suggestion);
  }
}
