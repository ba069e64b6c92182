import type { GeneralSection } from "./schema/general-section.ts";
import type { GeneralSettings, TelemetrySettings } from "./settings.ts";

const STRICT_KEY_HEADERS = ["x-gw-api-key"];

/** Converts the `general_settings` section to the names used in code. */
export function buildGeneral(section: GeneralSection, telemetry: TelemetrySettings | null): GeneralSettings {
  const keyHeaders = section.hosted === "strict" ? STRICT_KEY_HEADERS : lowerCase(section.key_headers);
  return {
    masterKey: section.master_key,
    databaseUrl: section.database_url,
    keyHeaders,
    listeners: section.listeners.map((listener) => ({
      host: listener.host,
      port: listener.port,
      keyHeaders: listener.key_headers === null ? keyHeaders : lowerCase(listener.key_headers),
    })),
    serverRootPath: section.server_root_path?.replace(/\/$/, "") ?? "",
    allowedHosts: lowerCase(section.allowed_hosts),
    trustedProxies: section.trusted_proxies,
    internalAddresses: section.internal_addresses,
    storeModelInDb: section.store_model_in_db,
    maxRequestSizeMb: section.max_request_size_mb,
    maxFileSizeMb: section.max_file_size_mb,
    completionModel: section.completion_model,
    moderationModel: section.moderation_model,
    disableAdminUi: section.disable_admin_ui,
    enablePublicModelHub: section.enable_public_model_hub,
    exposeApiBase: section.expose_api_base,
    exposeUpstreamHeaders: section.expose_upstream_headers,
    hideInaccessibleModels: section.hide_inaccessible_models,
    allowModelIdCalls: section.allow_model_id_calls,
    globalMaxParallelRequests: section.global_max_parallel_requests,
    maxConnectionsPerAddress: section.max_connections_per_ip,
    httpParser: section.http_parser,
    upstreamHttpClient: section.upstream_http_client,
    maxParallelRequests: section.max_parallel_requests,
    rateLimitWindowSeconds: section.rate_limit_window_seconds,
    tokenRateLimitType: section.token_rate_limit_type,
    rejectClientsideMetadataTags: section.reject_clientside_metadata_tags,
    storePromptsInSpendLogs: section.store_prompts_in_spend_logs,
    backgroundHealthChecks: section.background_health_checks,
    healthCheckIntervalSeconds: section.health_check_interval,
    healthCheckTimeoutSeconds: section.health_check_timeout,
    requireAuthForMetrics: section.require_auth_for_metrics,
    metricsLabels: section.metrics_labels,
    telemetry,
    alerting: section.alerting,
  };
}

function lowerCase(names: readonly string[]): readonly string[] {
  return names.map((name) => name.toLowerCase());
}
