import type { GatewayCode } from "../../packages/contracts/src/failure-table.ts";

/** Content of an error page that isn't in the registry: an example message, causes and fixes. */
export interface ErrorAdvice {
  readonly message: string;
  readonly causes: readonly string[];
  readonly fix: readonly string[];
  /** Field named in the example. */
  readonly param?: string;
}

const callAgain = "Retry after the time in `retry-after`. OpenAI's SDKs do this automatically.";
const addPolicy =
  "Ask the key's administrator. `tollgate keys show <key>` shows which models and routes the key can use.";
const contentRefused = "Change the content. If you retry the same request, it fails again.";

/** Advice for every gateway error code. The compiler reports missing ones. */
export const errorAdvice: Readonly<Record<GatewayCode, ErrorAdvice>> = {
  content_policy_violation: {
    message: "The provider refused the request for policy reasons.",
    causes: ["The request violates the provider's policy. The gateway did not check the content."],
    fix: [
      contentRefused,
      "If other models accept the content, list them in `content_policy_fallbacks`. See [Routing](../../guides/routing.md).",
    ],
  },
  content_filter: {
    message: "The provider's content filter blocked the request.",
    causes: ["A content filter in front of the model, such as Azure's, blocked the request."],
    fix: [contentRefused, "Check the content filter settings at the provider."],
  },
  context_length_exceeded: {
    message: "The prompt exceeds the context window of every deployment of 'fast'.",
    causes: [
      "The prompt and the response together do not fit in the model's context window.",
      "A conversation grew too long.",
    ],
    fix: [
      "Shorten the prompt: drop or summarize old turns. `POST /utils/token_counter` counts tokens without a model call.",
      "Add a model with a larger window to `context_window_fallbacks`. See [Routing](../../guides/routing.md).",
    ],
  },
  unsupported_parameter: {
    message: "Streaming is not supported for images.",
    causes: [
      "The model's provider does not support a request field.",
      "Billing is on, and one of these is true: the provider is not known to support the field or header, or the field can change the provider's bill and has no configured price.",
    ],
    fix: [
      "Remove the field. `GET /utils/supported_openai_params?model=…` lists the model's supported parameters.",
      "Set `litellm_settings.drop_params: true` to drop unsupported fields automatically.",
      "An operator can allow a field or header for a deployment with `allowed_params` or `allowed_headers`, and remove unknown fields with `gw_settings.unknown_params: drop`.",
    ],
  },
  guardrail_blocked: {
    message: "Guardrail 'pii' refused this request (found: email).",
    causes: ["A guardrail found a match in the request, the response, or the stream."],
    fix: [
      "Remove the matching content. The message names the guardrail.",
      "To find out which guardrails run, see [Guardrails](../../guides/guardrails.md).",
    ],
  },
  invalid_request: {
    message: "'best_of' must be at least 'n'.",
    param: "best_of",
    causes: ["The fields are individually valid, but they contradict each other or request something unsupported."],
    fix: ["Fix the problem that the message describes. If the error concerns one field, `param` contains its name."],
  },
  client_side_credentials_not_allowed: {
    message: "'api_base' cannot be set in a request. Only the operator can set URLs, credentials, prices, and logging.",
    param: "api_base",
    causes: [
      "The body contains `api_base`, `api_key`, prices, or another field that controls the provider or the cost.",
    ],
    fix: ["Remove the field. The operator sets it on a deployment. See [Routing](../../guides/routing.md)."],
  },
  previous_response_not_found: {
    message: "Previous response with id 'resp_…' not found.",
    param: "previous_response_id",
    causes: [
      "The response was created with `store: false`, has expired, or was deleted.",
      "The response was created with another team's key.",
    ],
    fix: ["Send the whole conversation as `input` instead. See [Responses API](../../guides/responses.md)."],
  },
  unsupported_tool: {
    message: "This model supports only function calls.",
    param: "tools",
    causes: [
      "The request contains a tool that the provider runs, such as web search or code interpreter, and no price is configured for it. The error names the setting ([Custom prices](../../guides/custom-prices.md)).",
    ],
    fix: ["Define the tool as a function and run it in your program."],
  },
  missing_api_key: {
    message: "No API key was sent. Send it in one of these headers: x-gw-api-key, authorization, x-api-key, api-key.",
    causes: [
      "The request has no API key, or a proxy removed the header.",
      "The `Authorization` header does not have the form `Bearer sk-…`.",
    ],
    fix: [
      "Send the key. See [Authentication](../../api/authentication.md).",
      "With an SDK, check that its environment variable is set for the program.",
    ],
  },
  invalid_api_key: {
    message: "Invalid API key.",
    causes: ["The key is mistyped or truncated, or it belongs to another instance.", "The key was revoked or rotated."],
    fix: [
      "Compare the key's last characters with the output of `tollgate keys list`. If the key does not exist, create a new one.",
      "Check the base URL: OpenAI keys do not work with Tollgate, and Tollgate keys do not work with OpenAI.",
    ],
  },
  expired_key: {
    message: "This API key has expired. Create a new one or extend it.",
    causes: ["The key's expiration time has passed."],
    fix: ["Create a new key, or extend this key with `tollgate keys update <id> --expires …` or the console."],
  },
  key_blocked: {
    message: "This API key is disabled.",
    causes: ["A user disabled the key in the console or with `/key/block`."],
    fix: ["Ask the key's administrator. The audit log shows who disabled the key and when."],
  },
  wrong_auth_header: {
    message: "The API key is in a header that is not accepted. Send it in: x-gw-api-key.",
    causes: ["`general_settings.key_headers` limits the headers that this listener accepts."],
    fix: ["Send the key in the header named in the message. See [Authentication](../../api/authentication.md)."],
  },
  key_model_access_denied: {
    message: "This key cannot use model 'careful'. Ask its administrator for access.",
    param: "model",
    causes: ["The key's model list does not include this model."],
    fix: ["`GET /v1/models` lists the models that the key can use.", addPolicy],
  },
  team_model_access_denied: {
    message: "This team cannot use model 'careful'. Ask its administrator for access.",
    param: "model",
    causes: ["The team's model list does not include this model."],
    fix: ["`GET /v1/models` lists the models that the key can use.", "Ask a team administrator."],
  },
  user_model_access_denied: {
    message: "This user cannot use model 'careful'. Ask its administrator for access.",
    param: "model",
    causes: ["The model list of the key's user does not include this model."],
    fix: ["`GET /v1/models` lists the models that the key can use.", addPolicy],
  },
  org_model_access_denied: {
    message: "This organization cannot use model 'careful'. Ask its administrator for access.",
    param: "model",
    causes: ["The organization's model list does not include this model."],
    fix: ["`GET /v1/models` lists the models that the key can use.", "Ask a server administrator."],
  },
  route_not_allowed: {
    message: "This key cannot use this operation. Ask its administrator to allow the route.",
    causes: ["The key is limited to certain operations, such as inference only."],
    fix: [addPolicy],
  },
  TEAM_BLOCKED: {
    message: "The team is blocked because the organization's balance is negative. Buy credits to continue.",
    causes: ["The organization's balance is below zero, which blocks its teams.", "An administrator blocked the team."],
    fix: [
      "Buy credit. Requests work again as soon as the balance is positive, without a restart.",
      "If an administrator blocked the team, ask them to unblock it. See [Credit, budgets, and limits](../../guides/credit.md).",
    ],
  },
  tag_not_allowed: {
    message: "No deployment of 'fast' has these tags.",
    causes: ["No deployment of the model has the requested tags or region."],
    fix: ["Remove the tags, or add them to a deployment. See [Routing](../../guides/routing.md)."],
  },
  not_team_member: {
    message: "This key does not belong to the team in the request.",
    causes: ["The request names a team that the key does not belong to."],
    fix: ["Remove the team from the request, or use one of the team's keys."],
  },
  admin_only: {
    message: "Metrics cover every team and require an administrator's key.",
    causes: ["The operation reads or changes data across all organizations."],
    fix: ["Use the operator's key (`general_settings.master_key`) or an administrator's key."],
  },
  model_not_found: {
    message: "The model 'fasst' does not exist or you do not have access to it.",
    param: "model",
    causes: [
      "The model name is mistyped. Use the names from `model_list`.",
      "The model exists, but the key cannot use it. Both cases intentionally return the same error.",
    ],
    fix: ["List the models that the key can use with `GET /v1/models` or `tollgate models list`."],
  },
  not_found: {
    message: "Unknown path. See /docs/api for available operations.",
    causes: [
      "The path is mistyped or contains `/v1` twice.",
      "The object was deleted, or the key has no access to it.",
    ],
    fix: ["With SDKs, the base URL must end with `/v1`.", "Compare the path with the reference at `/docs/api`."],
  },
  method_not_allowed: {
    message: "Use POST for this path, not GET.",
    causes: ["The URL was opened in a browser, or the request was redirected. A redirect can turn POST into GET."],
    fix: ["Use a method from the `allow` header and a URL that doesn't redirect (https, no trailing slash)."],
  },
  request_too_large: {
    message: "The body is larger than the limit of 33554432 bytes.",
    causes: ["Images or files in the body exceed the operation's limit."],
    fix: ["Send a smaller body. The operator can raise the limits on this instance and on the proxies in front of it."],
  },
  unsupported_media_type: {
    message: "Send the body as application/json.",
    causes: ["`content-type` is missing or wrong. By default, curl sends a form.", "The body was compressed."],
    fix: [
      'Add `-H "content-type: application/json"`. Send files as `multipart/form-data` if the API reference requires it.',
    ],
  },
  misdirected_request: {
    message: "This instance does not serve the host in the Host header.",
    causes: ["The host is not in `general_settings.allowed_hosts`.", "A proxy replaces the header."],
    fix: ["Use the public URL, or add the host to the list."],
  },
  headers_too_large: {
    message: "The request headers exceed 32 KB.",
    causes: ["Cookies or proxy headers exceed the limit."],
    fix: ["Send fewer headers. API clients do not need cookies."],
  },
  loop_detected: {
    message: "The request returned to this gateway through one of its own deployments.",
    causes: ["A deployment's `api_base` is the URL of this gateway or of another gateway that calls it."],
    fix: [
      "Set the deployment's `api_base` in `model_list` to the provider's URL. Check it with `tollgate config check`.",
    ],
  },
  timeout: {
    message: "The response was not ready in time.",
    causes: ["The model took longer than the request timeout.", "The body arrived too slowly."],
    fix: [
      "Stream long responses. The timeout then applies to the time between two chunks.",
      "Raise `timeout` in the request or the deployment, or `litellm_settings.request_timeout`. See [Routing](../../guides/routing.md).",
    ],
  },
  stream_timeout: {
    message: "The model sent nothing for 60 seconds.",
    causes: ["The provider stopped sending, or the model reasoned for longer than the timeout allows between chunks."],
    fix: [
      "Raise the deployment's `stream_timeout`.",
      "The output sent before the timeout was charged. Find the request in the logs by its `x-gw-call-id`.",
    ],
  },
  conflict: {
    message: "This Idempotency-Key was already used with a different request body.",
    causes: ["The same Idempotency-Key was used for two different requests.", "The record was changed concurrently."],
    fix: [
      "Use a new key for each request and the same key for its retries. See [Idempotent requests](../../guides/idempotent-requests.md).",
    ],
  },
  idempotency_outcome_unknown: {
    message:
      "The first request with this Idempotency-Key was interrupted. Its outcome is unknown, and the request may have been charged.",
    causes: ["The instance crashed during the first request."],
    fix: ["Find the first request in the logs. If you still need the response, send the request with a new key."],
  },
  validation_error: {
    message: "body.messages: Field required",
    param: "messages",
    causes: [
      "Fields are missing or have the wrong type. `detail` lists all invalid fields.",
      'The request has no body. The problem\'s type is `missing`, and its `loc` is `["body"]`.',
      "The body is not JSON in UTF-8, is nested too deeply, or has too many keys. The problem's type is `json_invalid`.",
    ],
    fix: [
      "Fix each field in `detail`. `loc` contains its location.",
      "With curl, put the body in single quotes or in a file: `-d @body.json`. Shells can remove quotes.",
    ],
  },
  unprocessable_entity: {
    message: "The provider could not process the request.",
    causes: ["The provider parsed the request but could not process it."],
    fix: [
      "Check `provider_specific_fields`, if present. `POST /utils/transform_request` shows the request that the provider would receive.",
    ],
  },
  rate_limit_exceeded: {
    message: "Key 'ci-bot' has reached its limit of 60 requests per minute (60 used, resets in 12 s).",
    causes: [
      "The number of requests, tokens, or concurrent requests reached a limit for the key, its team, its organization, or the model.",
      "Several programs share one key.",
    ],
    fix: [
      callAgain,
      "`limit` in the body shows the limit's owner and when the limit resets. See [Rate limits](../../api/rate-limits.md).",
    ],
  },
  no_deployments_available: {
    message: "Every deployment of 'fast' is in cooldown after failures or at its rate limit.",
    causes: ["Every deployment of the model is in cooldown after recent failures or at its rate limit."],
    fix: [
      callAgain,
      "`GET /health` and the console's health page show which deployments are in cooldown and why.",
      "Add a deployment or a fallback. See [Routing](../../guides/routing.md).",
    ],
  },
  upstream_rate_limit: {
    message: "The provider's rate limit was reached.",
    causes: ["Every attempted deployment reached the provider's limit for the operator's account."],
    fix: [callAgain, "Ask the provider for a higher limit, or add a deployment with another account."],
  },
  budget_exceeded: {
    message: "Key 'ci-bot' reached its $5.00 budget ($5.00 spent, resets 1 Dec 00:00 UTC).",
    causes: ["A key, team, user, or organization budget is exhausted for the current period."],
    fix: [
      "Wait until `limit.resets_at`, or raise the budget. See [Credit, budgets, and limits](../../guides/credit.md).",
    ],
  },
  QUOTA_EXCEEDED: {
    message: "Not enough credits: available 0.000020000 USD. That covers 10 output tokens.",
    causes: [
      "The organization's credit does not cover the request's maximum cost.",
      "The organization's other requests hold the remaining credit.",
      "An organization without credit stores as many assistants, threads, and responses as it can without credit (10 MB by default). `limit.kind` is `stored_bytes`.",
    ],
    fix: [
      "Buy credit with `tollgate credits buy` or in the console.",
      "Lower `max_tokens` to the number of output tokens given in the error message. `POST /utils/cost_quote` shows the amount that a request would hold.",
    ],
  },
  storage_limit_exceeded: {
    message: "Key 'ci-bot' stores 2 GB, and the maximum is 2 GB.",
    causes: [
      "The assistants, threads, runs, and stored responses of the key or its organization have reached the limit of the server.",
    ],
    fix: [
      "Delete threads, assistants, or stored responses. Their space can be used immediately.",
      "Send `store: false` with requests to the Responses API.",
      "Ask an administrator to raise `assistants.stored_mb_per_key` or `assistants.stored_mb_per_organization`. See [Assistants API](../../guides/assistants.md#storage).",
    ],
  },
  json_schema_validation_failed: {
    message: "The response does not match the requested schema.",
    causes: ["The model returned JSON that does not match the request's schema."],
    fix: ["Retry the request, simplify the schema, or choose a model that supports schemas."],
  },
  internal_error: {
    message: "An internal error occurred. Include the call ID when you report it.",
    causes: [
      "An internal error occurred in Tollgate.",
      "The provider rejected the operator's credential. Clients do not receive details.",
    ],
    fix: [
      "Operators: find the cause in the log by call ID (`x-gw-call-id`).",
      "`tollgate doctor` and `GET /health` show which credentials do not work.",
    ],
  },
  bad_gateway: {
    message: "The model returned an invalid response.",
    causes: [
      "A proxy or another intermediary responded instead of the model, for example with an error page.",
      "The provider's API is not fully compatible.",
    ],
    fix: ["Call the deployment's `api_base` with curl and check the response."],
  },
  upstream_unreachable: {
    message: "The model could not be reached.",
    causes: [
      "The provider's host does not resolve, refuses connections, or has an untrusted certificate.",
      "The connection was lost during the response.",
    ],
    fix: [
      callAgain,
      "Operators: `GET /health` names the deployment. Check its `api_base`, DNS, proxy, and certificates.",
    ],
  },
  service_unavailable: {
    message: "The model is temporarily unavailable.",
    causes: ["The provider reported that it is overloaded or under maintenance."],
    fix: [callAgain, "Add a fallback to another provider. See [Routing](../../guides/routing.md)."],
  },
  credentials_unavailable: {
    message:
      "Model 'claude' needs AWS credentials, but the package @aws-sdk/credential-providers is not installed on this server.",
    causes: [
      "The deployment has no credentials in the settings, and the cloud vendor's library is not installed.",
      "The source of the credentials, such as a metadata server or AWS STS, failed or did not respond within 30 seconds.",
    ],
    fix: [
      "The operator can run `tollgate doctor --only cloud-credentials`. It prints the reason and the fix. See [Cloud credentials](../../providers/cloud-credentials.md).",
      "Add a fallback to another provider. See [Routing](../../guides/routing.md).",
    ],
  },
  token_counting_disabled: {
    message: "The provider of 'fast' does not support token counting. Local token counting is disabled.",
    causes: ["The request asked for the provider's count, and `disable_token_counter` disables local counting."],
    fix: ["Omit `call_endpoint`, or enable local counting."],
  },
  shutting_down: {
    message: "This instance is shutting down. Retry the request.",
    causes: [
      "The instance received SIGTERM, for example during an upgrade, and the load balancer is still sending it requests.",
    ],
    fix: [
      callAgain,
      "If clients see this error during every upgrade, give the load balancer more time with `TOLLGATE_DRAIN_GRACE`.",
    ],
  },
  overloaded: {
    message: "This instance is at capacity. Try again shortly.",
    causes: [
      "The instance has more concurrent requests than it can handle. It refuses requests before it reads their bodies.",
    ],
    fix: [
      callAgain,
      "Operators: add processes or machines. The metrics show which resource is exhausted. See [Metrics](../../observe/metrics.md).",
    ],
  },
  DB_TIMEOUT: {
    message: "API keys could not be verified. Try again shortly.",
    causes: ["The database is unavailable or slow. The key was not checked, and nothing was charged."],
    fix: [callAgain, "Operators: check the database connection with `tollgate doctor`."],
  },
  accounting_unavailable: {
    message: "Usage cannot be recorded, so the request was not sent.",
    causes: ["The journal is not writable: its disk is full, read-only, or missing."],
    fix: [
      "Operators: free up space on the disk that contains `TOLLGATE_JOURNAL_DIR`. The instance then recovers automatically.",
    ],
  },
  assistants_unavailable: {
    message: "Assistants require a database and TOLLGATE_SECRET_KEY, which encrypts them.",
    causes: ["The instance runs without a database or without `TOLLGATE_SECRET_KEY`."],
    fix: [
      "Operators: configure a database and `TOLLGATE_SECRET_KEY`, and restart the server. See [Assistants API](../../guides/assistants.md).",
    ],
  },
  responses_unavailable: {
    message: "Storing responses requires a database and TOLLGATE_SECRET_KEY.",
    causes: ["The request stores or continues a response, but the instance cannot store responses."],
    fix: [
      "Send `store: false` and the whole conversation. Operators: configure a database and `TOLLGATE_SECRET_KEY`. See [Responses API](../../guides/responses.md).",
    ],
  },
  price_missing: {
    message: "No price is configured for model 'local/new'.",
    causes: ["The model is not in the catalog, and the settings do not set a price."],
    fix: [
      "Operators: set a price in `litellm_params`, or set it to 0 to make the model free. See [Add and manage models](../../guides/models.md).",
    ],
  },
};
