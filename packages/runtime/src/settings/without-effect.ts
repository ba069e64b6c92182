/**
 * LiteLLM settings that are accepted but have no effect, and what to do instead. The server still starts with such a
 * setting, but reports it.
 */
type Reasons = Readonly<Record<string, string>>;

const webhooks = "create webhooks with the management API";
const callbacks = "Python callbacks are not supported; create webhooks with the management API";
const requestField = "send this field in the request; deployments cannot set request fields";
const perKey = "set this value on the key, team, or user";
const perOrganization = "set this value on the organization or team";
const builtIn = "not needed: this is the default behavior";
const serverMemory = "not needed: the server sets buffer sizes and intervals";
const logLevel = "use TOLLGATE_LOG_LEVEL instead";
const fromEnvironment = "not supported; set the key in an environment variable";
const cacheStore = "only memory and Redis caches are supported";
const routes = "set allowed_routes on the key";
const singleSignOn = "not supported; users sign in with an account, and programs use API keys";
const network = "configure this in the process environment, proxy, or load balancer";
const upstreamRows = "not supported";

const all = (reason: string, ...settings: readonly string[]): Reasons =>
  Object.fromEntries(settings.map((setting) => [setting, reason]));

export const topLevelWithoutEffect: Reasons = {
  ...all(callbacks, "callback_settings"),
  ...all("deployments in model_list serve these operations", "files_settings", "finetune_settings"),
  ...all(upstreamRows, "mcp_servers", "mcp_tools", "search_tools", "vector_store_registry", "prompts", "agent_list"),
  ...all("use assistants: {mode: passthrough, litellm_params: …}", "assistant_settings"),
};

/** Settings to report with their values, which are helpful and can't contain secrets. */
export const shownWithValue: ReadonlySet<string> = new Set([
  "success_callback",
  "failure_callback",
  "callbacks",
  "service_callback",
  "service_callbacks",
]);

export const gatewayWithoutEffect: Reasons = {
  ...all(callbacks, "success_callback", "failure_callback", "callbacks", "input_callback", "audit_log_callbacks"),
  ...all(callbacks, "service_callback", "service_callbacks", "post_call_rules", "pre_call_rules"),
  ...all(callbacks, "s3_callback_params", "datadog_params", "langfuse_default_tags", "custom_provider_map"),
  ...all(logLevel, "set_verbose", "suppress_debug_info"),
  ...all("not needed: logs are always JSON", "json_logs"),
  ...all("not needed: Tollgate sends no telemetry to its authors", "telemetry"),
  ...all("not needed: logs never contain prompts, responses, or keys", "turn_off_message_logging"),
  ...all("not needed: logs never contain prompts, responses, or keys", "redact_user_api_key_info"),
  ...all("not needed: errors never contain prompts", "redact_messages_in_exceptions"),
  ...all("use drop_params", "modify_params"),
  ...all("use router_settings.model_group_alias", "model_alias_map", "model_group_alias_map"),
  ...all("use general_settings.require_auth_for_metrics", "require_auth_for_metrics_endpoint"),
  ...all("use general_settings.metrics_labels", "custom_prometheus_metadata_labels", "prometheus_metrics_config"),
  ...all("use general_settings.metrics_labels", "enable_end_user_cost_tracking_prometheus_only"),
  ...all("use general_settings.metrics_labels", "disable_end_user_cost_tracking_prometheus_only"),
  ...all("use general_settings.enable_public_model_hub", "public_model_groups"),
  ...all("use the guardrails section", "guardrails"),
  ...all(perKey, "default_key_generate_params", "upperbound_key_generate_params", "key_generation_settings"),
  ...all(perKey, "default_internal_user_params", "max_internal_user_budget", "internal_user_budget_duration"),
  ...all(perKey, "default_max_internal_user_budget", "max_end_user_budget", "max_ui_session_budget"),
  ...all(perOrganization, "default_team_settings", "default_team_params", "tag_budget_config", "priority_reservation"),
  ...all(network, "force_ipv4", "use_aiohttp_transport", "ssl_verify", "ssl_certificate", "aclient_session"),
  ...all(requestField, "headers", "max_tokens", "temperature", "extra_spend_tag_headers"),
  ...all(upstreamRows, "mcp_aliases", "enable_preview_features", "network_mock", "forward_traceparent_to_llm_provider"),
  ...all(builtIn, "return_response_headers", "store_audit_logs", "disable_end_user_cost_tracking"),
  ...all(builtIn, "disable_hf_tokenizer_download", "disable_add_transform_inline_image_block"),
  ...all(builtIn, "disable_copilot_system_to_assistant", "use_chat_completions_url_for_anthropic_messages"),
  ...all(builtIn, "enable_key_alias_format_validation", "default_redis_batch_cache_expiry", "retry"),
};

export const cacheWithoutEffect: Reasons = {
  ...all(cacheStore, "s3_bucket_name", "s3_region_name", "s3_aws_access_key_id", "s3_aws_secret_access_key"),
  ...all(cacheStore, "s3_endpoint_url", "s3_path", "gcs_bucket_name", "gcs_path_service_account", "gcs_path"),
  ...all(cacheStore, "qdrant_semantic_cache_embedding_model", "qdrant_collection_name", "qdrant_quantization_config"),
  ...all(cacheStore, "qdrant_semantic_cache_vector_size", "qdrant_api_base", "qdrant_api_key", "similarity_threshold"),
  ...all(cacheStore, "redis_semantic_cache_embedding_model", "disk_cache_dir"),
  ...all("use url: rediss://… for an encrypted connection", "ssl", "ssl_cert_reqs", "ssl_check_hostname"),
  ...all("use url and include the password", "gcp_service_account", "gcp_ssl_ca_certs"),
  ...all("set url to one Redis server or proxy", "redis_startup_nodes", "service_name", "sentinel_nodes"),
  ...all("set url to one Redis server or proxy", "sentinel_password"),
  ...all(serverMemory, "max_connections", "redis_flush_size"),
};

export const routerWithoutEffect: Reasons = {
  ...all(logLevel, "set_verbose", "debug_level"),
  ...all("set max_parallel_requests on each deployment", "default_max_parallel_requests"),
  ...all(requestField, "default_litellm_params"),
  ...all("use gw_settings.cache", "cache_responses", "cache_kwargs", "caching_groups"),
  ...all("use redis_url: rediss://… for an encrypted connection", "redis_ssl"),
  ...all(webhooks, "alerting_config"),
  ...all("use the assistants section", "assistants_config"),
  ...all("use the guardrails section", "guardrail_list"),
  ...all("not supported: set budgets on organizations, teams, and keys", "provider_budget_config"),
  ...all(serverMemory, "client_ttl", "polling_interval", "default_priority", "router_general_settings"),
  ...all("not supported: an invalid deployment prevents the server from starting", "ignore_invalid_deployments"),
  ...all(upstreamRows, "search_tools", "default_deployment"),
};

export const generalWithoutEffect: Reasons = {
  ...all(fromEnvironment, "use_google_kms", "use_azure_key_vault", "key_management_system", "key_management_settings"),
  ...all("list the accepted headers in key_headers", "litellm_key_header_name"),
  ...all("list your proxies in trusted_proxies", "use_x_forwarded_for"),
  ...all("restrict IP addresses in a proxy or firewall", "allowed_ips"),
  ...all(routes, "allowed_routes", "admin_only_routes", "public_routes"),
  ...all("Python code is not supported; the server checks keys", "custom_auth", "custom_key_generate"),
  ...all(singleSignOn, "custom_sso", "enable_jwt_auth", "litellm_jwtauth", "enable_oauth2_auth"),
  ...all(singleSignOn, "enable_oauth2_proxy_auth", "oauth2_config_mappings", "allow_user_auth"),
  ...all("not needed: no feature requires a license", "litellm_license"),
  ...all(webhooks, "alerting_threshold", "alert_types", "alerting_args", "alert_to_webhook_url"),
  ...all(webhooks, "spend_report_frequency"),
  ...all("set the model in the request", "embedding_model", "image_generation_model", "infer_model_from_keys"),
  ...all("use configurable_clientside_auth_params on the deployment", "allow_client_side_credentials"),
  ...all(
    "not supported: usage is always recorded",
    "disable_spend_logs",
    "disable_spend_updates",
    "disable_reset_budget",
  ),
  ...all("not supported: keys cannot be checked without the database", "allow_requests_on_db_unavailable"),
  ...all("set logRetentionDays on the organization", "maximum_spend_logs_retention_period"),
  ...all("set logRetentionDays on the organization", "maximum_spend_logs_retention_interval"),
  ...all(perKey, "enforced_params", "enforce_user_param", "default_team_disabled", "service_account_settings"),
  ...all(serverMemory, "proxy_budget_rescheduler_min_time", "proxy_budget_rescheduler_max_time"),
  ...all(serverMemory, "proxy_batch_write_at", "proxy_batch_polling_interval", "user_api_key_cache_ttl"),
  ...all(serverMemory, "database_connection_pool_limit", "database_connection_timeout"),
  ...all("run migrations separately, with tollgate migrate up", "disable_prisma_schema_update"),
  ...all(builtIn, "disable_master_key_return", "disable_adding_master_key_hash_to_db", "supported_db_objects"),
  ...all(builtIn, "disable_retry_on_max_parallel_request_limit_error", "disable_responses_id_security"),
  ...all("use disable_admin_ui", "ui_access_mode"),
  ...all("not needed: the response size limit is built in", "max_response_size_mb"),
  ...all(
    "not supported: client headers are not forwarded",
    "forward_client_headers_to_llm_api",
    "forward_openai_org_id",
  ),
  ...all(upstreamRows, "pass_through_endpoints", "use_client_credentials_pass_through_routes"),
  ...all(upstreamRows, "user_mcp_management_mode", "health_check_details"),
};

export const paramsWithoutEffect: Reasons = {
  ...all(requestField, "temperature", "max_tokens", "max_completion_tokens", "top_p", "top_k", "n", "stop", "seed"),
  ...all(requestField, "presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "response_format", "stream"),
  ...all(requestField, "tools", "tool_choice", "parallel_tool_calls", "user", "metadata", "reasoning_effort"),
  ...all(requestField, "thinking", "extra_headers", "extra_body", "headers", "cache_control_injection_points"),
  ...all(requestField, "modalities", "input_type", "encoding_format", "dimensions", "service_tier", "verbosity"),
  ...all("use num_retries", "max_retries"),
  ...all("use a sim/ model for testing", "mock_response", "mock_timeout"),
  ...all("not needed: determined by the provider", "api_type", "merge_reasoning_content_in_choices"),
  ...all(perKey, "max_budget", "budget_duration"),
  ...all(upstreamRows, "use_in_pass_through", "use_litellm_proxy", "prompt_id", "aws_batch_role_arn"),
  ...all(upstreamRows, "s3_bucket_name", "s3_region_name", "s3_access_key_id", "s3_secret_access_key"),
  ...all("use model_info.base_model", "hf_model_name"),
};
