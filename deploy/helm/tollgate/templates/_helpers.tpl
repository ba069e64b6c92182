{{- define "tollgate.name" -}}
{{- default .Release.Name .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "tollgate.image" -}}
{{- $tag := default .Chart.AppVersion .Values.image.tag -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ $tag }}{{ end -}}
{{- end }}

{{/* Pod selector labels. Takes a dict with root and part. */}}
{{- define "tollgate.selector" -}}
app.kubernetes.io/name: tollgate
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "tollgate.labels" -}}
{{ include "tollgate.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* The component that serves /api and /ui. */}}
{{- define "tollgate.platformPart" -}}
{{- if .Values.platform.separate }}platform{{ else }}gateway{{ end -}}
{{- end }}

{{/* tollgate.yaml: the operator's settings with the networks of this chart added. */}}
{{- define "tollgate.settings" -}}
{{- $settings := deepCopy .Values.settings -}}
{{- $general := default dict $settings.general_settings -}}
{{- $_ := set $general "internal_addresses" (concat (default list $general.internal_addresses) .Values.podNetworks | uniq) -}}
{{- $proxies := concat (default list $general.trusted_proxies) .Values.trustedProxies | uniq -}}
{{- if $proxies }}{{ $_ := set $general "trusted_proxies" $proxies }}{{ end -}}
{{- if $general.allowed_hosts }}
{{- /* Hostnames that probes, workers, and platforms use to call gateways. */}}
{{- $_ := set $general "allowed_hosts" (concat $general.allowed_hosts (list (printf "%s-gateway" (include "tollgate.name" .)) "127.0.0.1") | uniq) }}
{{- end -}}
{{- $_ := set $settings "general_settings" $general -}}
{{ toYaml $settings }}
{{- end }}

{{- define "tollgate.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "tollgate.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Environment of every long-running pod. Takes a dict with root and part. */}}
{{- define "tollgate.environment" -}}
envFrom:
  - secretRef:
      name: {{ .root.Values.existingSecret }}
env:
  - { name: TOLLGATE_CONFIG, value: /etc/tollgate/tollgate.yaml }
  - { name: TOLLGATE_LOG_LEVEL, value: {{ .root.Values.logLevel }} }
  - { name: TOLLGATE_DRAIN_GRACE, value: {{ .root.Values.drain.graceSeconds | quote }} }
  - { name: TOLLGATE_DRAIN_TIMEOUT, value: {{ .root.Values.drain.timeoutSeconds | quote }} }
  # Longer than a migration in another pod or a database failover.
  - { name: TOLLGATE_DB_WAIT, value: "60" }
  {{- if .root.Values.migration.enabled }}
  - { name: TOLLGATE_MIGRATE_ON_START, value: "false" }
  {{- end }}
  {{- if eq .part "gateway" }}
  - { name: TOLLGATE_JOURNAL_DIR, value: /data/journal }
  {{- else }}
  - { name: TOLLGATE_GATEWAY_URL, value: {{ printf "http://%s-gateway:%v" (include "tollgate.name" .root) .root.Values.service.port | quote }} }
  {{- end }}
  {{- with .root.Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* Probes, with a hostname that allowed_hosts contains. Takes a dict with root and part. Platforms have other probe paths. */}}
{{- define "tollgate.probes" -}}
{{- $startup := "/health/startup" }}
{{- $readiness := "/health/readiness" }}
{{- $liveness := "/health/liveness" }}
{{- if eq .part "platform" }}
{{- $startup = "/api/health" }}
{{- $readiness = "/api/ready" }}
{{- $liveness = "/api/health" }}
{{- end }}
{{- $host := printf "[{ name: Host, value: %s-gateway }]" (include "tollgate.name" .root) }}
startupProbe:
  httpGet: { path: {{ $startup }}, port: http, httpHeaders: {{ $host }} }
  periodSeconds: 2
  failureThreshold: 90
readinessProbe:
  httpGet: { path: {{ $readiness }}, port: http, httpHeaders: {{ $host }} }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 2
livenessProbe:
  httpGet: { path: {{ $liveness }}, port: http, httpHeaders: {{ $host }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end }}

{{- define "tollgate.spread" -}}
{{- $context := . }}
{{- range .root.Values.gateway.spreadOver }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {{- include "tollgate.selector" $context | nindent 6 }}
{{- end }}
{{- end }}

{{/* Makes the pod report not ready before SIGTERM. The image has no shell, so Node sends the signal. */}}
{{- define "tollgate.preStop" -}}
preStop:
  exec:
    command:
      - /usr/local/bin/node
      - --eval
      - process.kill(1, "SIGUSR2")
{{- end }}

{{/* The key that can read metrics. Takes .Values.serviceMonitor. */}}
{{- define "tollgate.scrapeKey" -}}
{{- if .keySecret.name }}
authorization:
  type: Bearer
  credentials: { name: {{ .keySecret.name }}, key: {{ .keySecret.key }} }
{{- end }}
{{- end }}
