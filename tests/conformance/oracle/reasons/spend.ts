import { isAbsent, type Reason } from "./reason.ts";

const spend = /^(spend logs|user activity|team activity|calculate spend)$/;

/** Differences in spend. */
export const spendReasons: readonly Reason[] = [
  {
    name: "Spend: exact amounts",
    because: "Amounts are sums of integers, without binary rounding errors.",
    place: /\/((total_)?spend|cost)$/,
    operation: /^(spend logs|user activity|team activity|calculate spend|key info)$/,
    holds: (theirs, ours) => Math.abs(Number(theirs) - Number(ours)) < 1e-12,
  },
  {
    name: "Spend: names",
    because:
      "call_type is Tollgate's name of the operation, and model is the model group that the client requested. LiteLLM returns the name of its function and the upstream's model.",
    place: /^body (\/\d+\/(call_type|model)|\/results\/0\/breakdown\/models\/.+)$/,
    operation: /^(spend logs|user activity|team activity)$/,
  },
  {
    name: "Spend: entities",
    because: "The entities of a user's activity are teams. LiteLLM's are users, of which there is only one.",
    place: /\/breakdown\/entities\/<(USER|TEAM)>$/,
    operation: /^user activity$/,
  },
  {
    name: "Spend: information that isn't stored",
    because:
      "Upstream URLs, tags, IP addresses, and cache keys aren't stored with a request, so these fields are null or empty. A session is stored only if the client names it.",
    place:
      /^body \/\d+\/(api_base|cache_hit|cache_key|request_tags\/\*|requester_ip_address|session_id|end_user|metadata\/\w+)$/,
    operation: /^spend logs$/,
  },
  {
    name: "Spend: LiteLLM's fields",
    because:
      "Spend contains the documented fields. LiteLLM also returns fields of features that Tollgate doesn't have.",
    place:
      /\/(messages|response|mcp_\w+|agent_id|proxy_server_request|(total_)?cache_creation_input_tokens|model_groups|endpoints|api_key_breakdown)$/,
    operation: spend,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "Spend: Tollgate fields",
    because:
      "Tollgate also returns the key's name, the cost in nano-USD, the status, the error code, and the number of attempts.",
    place:
      /\/(key_alias|user_id|spend_nano_usd|cost_nano_usd|status_code|error_code|attempted_retries|attempted_fallbacks|trace_id)$/,
    operation: spend,
    holds: (theirs) => isAbsent(theirs),
  },
];
