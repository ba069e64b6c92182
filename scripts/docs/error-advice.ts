import type { FailureCode } from "../../packages/contracts/src/failures.ts";

/** What a page on an error says besides what the registry knows: an example of its sentence, causes, what helps. */
export interface ErrorAdvice {
  readonly message: string;
  readonly causes: readonly string[];
  readonly fix: readonly string[];
  /** The field that the example names. */
  readonly param?: string;
}

const callAgain = "Send the call again after `retry-after`. OpenAI's SDKs do so by themselves.";
const addPolicy = "Ask whoever manages the key: `tollgate keys show <key>` shows what it may use, and by which policy.";
const contentRefused = "Change the request: another try with the same words ends the same way.";

/** For every code of the gateway; a code without advice does not compile. */
export const errorAdvice: Readonly<Record<FailureCode, ErrorAdvice>> = {
  content_policy_violation: {
    message: "The provider refused the request on policy grounds.",
    causes: ["The provider's own policy refused what was sent. Nothing here looked at it."],
    fix: [
      contentRefused,
      "Where other models may take it, name them under `content_policy_fallbacks`: [Routing](../../guides/routing.md).",
    ],
  },
  content_filter: {
    message: "The provider's content filter stopped the request.",
    causes: ["A filter in front of the model stopped the request, as Azure's does."],
    fix: [contentRefused, "Look at the filter's settings at the provider."],
  },
  context_length_exceeded: {
    message: "The prompt is longer than any deployment of 'fast' takes.",
    causes: [
      "Prompt and answer together do not fit the model's context window.",
      "A conversation grew with every turn.",
    ],
    fix: [
      "Send less: drop or summarise old turns. `POST /utils/token_counter` counts without a call.",
      "Name a model with a larger window under `context_window_fallbacks`: [Routing](../../guides/routing.md).",
    ],
  },
  unsupported_parameter: {
    message: "Images are not streamed here.",
    causes: [
      "A field of the request has no counterpart at this model's provider.",
      "Billing is on, and the field or header is not on the provider's list, or it can change what the provider bills and has no price here.",
    ],
    fix: [
      "Leave the field out. `GET /utils/supported_openai_params?model=…` lists what the model takes.",
      "`litellm_settings.drop_params: true` leaves such fields out by itself.",
      "An operator can allow a field or header for a deployment with `allowed_params` or `allowed_headers`, and remove unknown fields with `gw_settings.unknown_params: drop`.",
    ],
  },
  guardrail_blocked: {
    message: "A guardrail refused the call.",
    causes: ["A guardrail found what it looks for in the request, the answer or the stream."],
    fix: [
      "Take out what it found; the sentence names the guardrail.",
      "Which guardrails run, and on what: [Guardrails](../../guides/guardrails.md).",
    ],
  },
  invalid_request: {
    message: "'best_of' must not be less than 'n'.",
    param: "best_of",
    causes: ["Fields that are right one by one contradict each other, or ask for what cannot be done."],
    fix: ["Do what the sentence says; `param` names the field where there is one."],
  },
  invalid_json: {
    message: "The body is not valid JSON.",
    causes: [
      "A quote, comma or bracket is missing; shells take quotes away.",
      "The body is not UTF-8, not an object, or nested too deeply.",
    ],
    fix: ["With curl, put the body between single quotes, or into a file: `-d @body.json`."],
  },
  client_side_credentials_not_allowed: {
    message: "The field 'api_base' cannot be set by a request.",
    param: "api_base",
    causes: [
      "The body has `api_base`, `api_key`, prices or something else that decides where a call goes or what it costs.",
    ],
    fix: ["Leave the field out. The operator sets it for a deployment: [Routing](../../guides/routing.md)."],
  },
  previous_response_not_found: {
    message: "The previous response 'resp_…' was not found.",
    param: "previous_response_id",
    causes: [
      "The response was made with `store: false`, has expired, or was deleted.",
      "It was made with a key of another team.",
    ],
    fix: ["Send the whole conversation as `input` instead: [Responses](../../guides/responses.md)."],
  },
  unsupported_tool: {
    message: "This model calls functions only.",
    param: "tools",
    causes: ["A tool of the request runs at OpenAI (files, web search, code) and cannot be run here."],
    fix: ["Offer it as a function and run it in your program."],
  },
  missing_api_key: {
    message: "No API key was sent. Send it in one of these headers: x-gw-api-key, authorization, x-api-key, api-key.",
    causes: [
      "The request has no key, or a proxy in front took the header away.",
      "`Authorization` is there, but not as `Bearer sk-…`.",
    ],
    fix: [
      "Send the key: [Authentication](../../api/authentication.md).",
      "With an SDK, look whether its environment variable is set where the program runs.",
    ],
  },
  invalid_api_key: {
    message: "Invalid API key.",
    causes: ["The key was mistyped, cut off, or belongs to another instance.", "It was revoked or replaced."],
    fix: [
      "Compare the last characters with `tollgate keys list`; make another key if it is gone.",
      "Look at the address: a key of OpenAI's does not work here, nor ours there.",
    ],
  },
  expired_key: {
    message: "This API key has expired. Create a new one or extend it.",
    causes: ["The key was made with an end that has passed."],
    fix: ["Make a new key, or extend this one: `tollgate keys update <id> --expires …` or the console."],
  },
  key_blocked: {
    message: "This API key is disabled.",
    causes: ["Somebody disabled the key, in the console or over `/key/block`."],
    fix: ["Ask whoever manages the key. The audit log says who did it and when."],
  },
  wrong_auth_header: {
    message: "The key came in a header that is not accepted here. Send it in: x-gw-api-key.",
    causes: ["This listener accepts keys in fewer headers than usual, by `general_settings.key_headers`."],
    fix: ["Send the key in the header that the sentence names: [Authentication](../../api/authentication.md)."],
  },
  key_model_access_denied: {
    message: "This key may not use the model 'careful'.",
    param: "model",
    causes: ["The key has a list of models and this one is not on it."],
    fix: ["`GET /v1/models` lists what the key may use.", addPolicy],
  },
  team_model_access_denied: {
    message: "The team may not use the model 'careful'.",
    param: "model",
    causes: ["The key's team has a list of models and this one is not on it."],
    fix: ["`GET /v1/models` lists what the key may use.", "Ask an administrator of the team."],
  },
  user_model_access_denied: {
    message: "The key's user may not use the model 'careful'.",
    param: "model",
    causes: ["The person the key belongs to has a list of models and this one is not on it."],
    fix: ["`GET /v1/models` lists what the key may use.", addPolicy],
  },
  org_model_access_denied: {
    message: "The organization may not use the model 'careful'.",
    param: "model",
    causes: ["The organization has a list of models and this one is not on it."],
    fix: ["`GET /v1/models` lists what the key may use.", "Ask an administrator of the installation."],
  },
  route_not_allowed: {
    message: "This key may not use this operation.",
    causes: ["The key was limited to some operations, such as inference without management."],
    fix: [addPolicy],
  },
  TEAM_BLOCKED: {
    message: "The team 'Default' is blocked: its organization's balance is below zero.",
    causes: [
      "The organization's balance fell below zero, which blocks its teams.",
      "An administrator blocked the team.",
    ],
    fix: [
      "Buy credit: the same call works as soon as the balance is positive, without a restart.",
      "If an administrator blocked it, ask them: [Credit, budgets and limits](../../guides/credit.md).",
    ],
  },
  tag_not_allowed: {
    message: "No deployment of 'fast' serves these tags.",
    causes: ["The request asks for tags or a region that no deployment of the model has."],
    fix: ["Leave the tags out, or give a deployment these tags: [Routing](../../guides/routing.md)."],
  },
  not_team_member: {
    message: "This key does not belong to the team it names.",
    causes: ["The request names a team that the key is not of."],
    fix: ["Leave the team out, or use a key of that team."],
  },
  admin_only: {
    message: "The metrics tell of every team: this needs an administrator's key.",
    causes: ["The operation shows or changes what belongs to everybody."],
    fix: ["Use the operator's key (`general_settings.master_key`) or one of an administrator."],
  },
  model_not_found: {
    message: "The model 'fasst' does not exist or you do not have access to it.",
    param: "model",
    causes: [
      "The name is mistyped: models are called as `model_list` names them.",
      "The model exists and the key may not use it; both look alike on purpose.",
    ],
    fix: ["`GET /v1/models` or `tollgate models list` shows the names that work with this key."],
  },
  not_found: {
    message: "Nothing is at this path. The operations are listed at /docs/api.",
    causes: ["The path is mistyped, or has `/v1` twice.", "The object was deleted, or belongs to somebody else."],
    fix: ["With SDKs, the address ends with `/v1` and nothing more.", "Compare with the reference at `/docs/api`."],
  },
  method_not_allowed: {
    message: "Use POST for this path, not GET.",
    causes: ["The path was opened in a browser, or redirected: a redirect turns POST into GET."],
    fix: ["Use the method of the `allow` header, and the address without a redirect (https, no slash at the end)."],
  },
  request_too_large: {
    message: "The body is larger than the limit of 33554432 bytes.",
    causes: ["Pictures or files in the body are larger than the operation takes."],
    fix: ["Send less. The operator can raise the limits of this instance, and of proxies in front of it."],
  },
  unsupported_media_type: {
    message: "Send the body as application/json.",
    causes: [
      "`content-type` is missing or another one; curl sends a form unless told otherwise.",
      "The body was compressed.",
    ],
    fix: [
      'Add `-H "content-type: application/json"`. Files are sent as `multipart/form-data` where the reference says so.',
    ],
  },
  misdirected_request: {
    message: "This instance does not serve the address in the Host header.",
    causes: [
      "The instance was told which hosts it serves (`general_settings.allowed_hosts`) and this is none of them.",
      "A proxy in front replaces the header.",
    ],
    fix: ["Use the public address, or add the host to the list."],
  },
  headers_too_large: {
    message: "The headers are larger than 32 KB together.",
    causes: ["Cookies or headers of a proxy have grown beyond what is read."],
    fix: ["Send fewer headers; clients of the interface need no cookies."],
  },
  loop_detected: {
    message: "The call came back to this gateway through its own upstreams.",
    causes: ["A deployment's `api_base` is the address of this gateway, or of one that calls it."],
    fix: ["Point the deployment at the provider: `tollgate config check` and `model_list` in the settings."],
  },
  timeout: {
    message: "The answer was not ready in time.",
    causes: ["The model took longer than the time limit of the call.", "The body arrived too slowly."],
    fix: [
      "Stream long answers: what counts then is the time between two frames.",
      "Raise `timeout` of the request, the deployment or `litellm_settings.request_timeout`: [Routing](../../guides/routing.md).",
    ],
  },
  stream_timeout: {
    message: "The model was silent for 60 seconds.",
    causes: ["The provider stopped sending, or thinks for longer than the limit between two frames."],
    fix: [
      "Raise `stream_timeout` of the deployment.",
      "What was sent until then was charged: `x-gw-call-id` leads to it in the logs.",
    ],
  },
  conflict: {
    message: "This Idempotency-Key was used for a request with another body.",
    causes: ["One key was used for two different requests.", "Somebody changed the same record meanwhile."],
    fix: [
      "Use a new key for each request and the same one for its retries: [Retries that are not second calls](../../guides/idempotent-calls.md).",
    ],
  },
  idempotency_outcome_unknown: {
    message:
      "What the first call with this Idempotency-Key was answered is not known any more, and it may have been charged.",
    causes: ["The instance died while the first call was running."],
    fix: ["Look at the log of calls for the first one. If the answer is still needed, send it with a new key."],
  },
  validation_error: {
    message: "body.messages: Field required",
    param: "messages",
    causes: ["Fields are missing or of another type; `detail` lists all of them at once."],
    fix: ["Mend each field of `detail`; `loc` says where it is."],
  },
  unprocessable_entity: {
    message: "The provider could not process the request.",
    causes: ["The provider understood the request and found it impossible."],
    fix: [
      "Read `provider_specific_fields` where it is sent; `POST /utils/transform_request` shows what the provider gets.",
    ],
  },
  rate_limit_exceeded: {
    message: "Rate limit reached: 60 requests per minute for this key.",
    causes: [
      "Requests, tokens or calls at once reached a limit of the key, its team, its organization or the model.",
      "Several programs share one key.",
    ],
    fix: [
      callAgain,
      "`limit` in the body says whose limit it is and when it starts anew: [Rate limits](../../api/rate-limits.md).",
    ],
  },
  no_deployments_available: {
    message: "No deployment of the model is available.",
    causes: ["Every deployment of the model has failed lately and rests, or is at its own limit."],
    fix: [
      callAgain,
      "`GET /health` and the console's health page show which rest, and why.",
      "Add a deployment or a fallback: [Routing](../../guides/routing.md).",
    ],
  },
  upstream_rate_limit: {
    message: "The provider's rate limit was reached.",
    causes: ["The provider's limit for the operator's account is used up, on every deployment that was tried."],
    fix: [callAgain, "Ask the provider for a higher limit, or add a deployment with another account."],
  },
  budget_exceeded: {
    message: "The budget of the key is spent.",
    causes: ["A budget of the key, the team, the user or the organization is spent for its period."],
    fix: ["Wait until `limit.resets_at`, or raise the budget: [Credit, budgets and limits](../../guides/credit.md)."],
  },
  QUOTA_EXCEEDED: {
    message: "Not enough credits: available 0.000020000 USD. That covers 10 output tokens.",
    causes: [
      "The organization's credit does not cover the most that this call may cost.",
      "Other calls of the organization hold what is left.",
    ],
    fix: [
      "Buy credit: `tollgate credits buy` or the console.",
      "Ask for less: the message says how many output tokens the credit covers. Set `max_tokens` to that or less. `POST /utils/cost_quote` says what a request would hold.",
    ],
  },
  json_schema_validation_failed: {
    message: "The answer does not meet the schema the request asked for.",
    causes: ["The model answered with JSON that the request's schema refuses."],
    fix: ["Send the call again, make the schema simpler, or choose a model that knows schemas."],
  },
  internal_error: {
    message: "An internal error occurred. Quote the call id when you report it.",
    causes: [
      "A fault of this program.",
      "The provider refused the operator's credential; clients are not told more of that.",
    ],
    fix: [
      "Operators find the cause in the log under the call's id (`x-gw-call-id`).",
      "`tollgate doctor` and `GET /health` tell which credentials do not work.",
    ],
  },
  bad_gateway: {
    message: "The model answered something that cannot be read.",
    causes: [
      "Something between here and the model answered instead of it, such as a proxy's error page.",
      "A server that is only nearly compatible.",
    ],
    fix: ["Open the deployment's `api_base` with curl and look at what answers."],
  },
  upstream_unreachable: {
    message: "The model could not be reached.",
    causes: [
      "The provider's address does not resolve, refuses connections, or its certificate is not trusted.",
      "The connection broke in the middle of the answer.",
    ],
    fix: [callAgain, "Operators: `GET /health` names the deployment; look at `api_base`, DNS, proxy and certificates."],
  },
  service_unavailable: {
    message: "The model is not available at the moment.",
    causes: ["The provider said that it is overloaded or being worked on."],
    fix: [callAgain, "Add a fallback to another provider: [Routing](../../guides/routing.md)."],
  },
  token_counting_disabled: {
    message: "The provider of 'fast' does not count tokens. Counting here is switched off.",
    causes: [
      "The request asked the provider to count and `disable_token_counter` does not let this gateway count instead.",
    ],
    fix: ["Ask for a count without `call_endpoint`, or switch the counting here on."],
  },
  shutting_down: {
    message: "This instance is shutting down. Send the call again.",
    causes: ["The instance got SIGTERM, as in an upgrade, and the balancer had not noticed yet."],
    fix: [callAgain, "If clients see this at every upgrade, give the balancer more time: `TOLLGATE_DRAIN_GRACE`."],
  },
  overloaded: {
    message: "This instance has as many calls as it can take. Try again shortly.",
    causes: ["More calls came at once than this instance has room for; they are refused before their body is read."],
    fix: [
      callAgain,
      "Operators: add processes or machines. The metrics tell which resource ran out: [Metrics](../../observe/metrics.md).",
    ],
  },
  DB_TIMEOUT: {
    message: "Keys cannot be checked at the moment. Try again shortly.",
    causes: ["The database is away or slow. No key was judged and no money was touched."],
    fix: [callAgain, "Operators: `tollgate doctor` measures the way to the database."],
  },
  accounting_unavailable: {
    message: "Usage cannot be recorded at the moment, so no call is made.",
    causes: ["The journal cannot be written: its disk is full, read-only or gone."],
    fix: ["Operators: make room on the disk of `TOLLGATE_JOURNAL_DIR`. The instance goes on by itself then."],
  },
  assistants_unavailable: {
    message: "Assistants need a database and TOLLGATE_SECRET_KEY, which seals them.",
    causes: ["The instance runs without a database or without `TOLLGATE_SECRET_KEY`."],
    fix: ["Operators: set both and restart: [Assistants](../../guides/assistants.md)."],
  },
  responses_unavailable: {
    message: "Keeping responses needs a database and TOLLGATE_SECRET_KEY.",
    causes: ["The request keeps or continues a response, and the instance has nowhere to keep them."],
    fix: ["Send `store: false` and the whole conversation, or set both: [Responses](../../guides/responses.md)."],
  },
  price_missing: {
    message: "The model 'local/new' has no price, and unpriced is not free.",
    causes: ["The catalogue does not know the model and the settings give it no price."],
    fix: [
      "Operators: give it a price in `litellm_params`, 0 included: [Models and providers](../../guides/models.md).",
    ],
  },
};
