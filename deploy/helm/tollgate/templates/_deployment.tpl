{{/* A Deployment of platforms or workers. Takes a dict with root, part, and values. */}}
{{- define "tollgate.deployment" -}}
{{- $name := include "tollgate.name" .root }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}-{{ .part }}
  labels: {{- include "tollgate.labels" . | nindent 4 }}
spec:
  replicas: {{ .values.replicas }}
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels: {{- include "tollgate.selector" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "tollgate.labels" . | nindent 8 }}
      annotations:
        tollgate/settings: {{ include "tollgate.settings" .root | sha256sum }}
    spec:
      serviceAccountName: {{ $name }}
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: {{ add .root.Values.drain.timeoutSeconds 15 }}
      securityContext: {{- include "tollgate.podSecurity" .root | nindent 8 }}
      {{- with .root.Values.imagePullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints: {{- include "tollgate.spread" . | nindent 8 }}
      containers:
        - name: {{ .part }}
          image: {{ include "tollgate.image" .root | quote }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          args: [serve, --roles, {{ .part }}]
          {{- include "tollgate.environment" . | nindent 10 }}
          {{- if eq .part "platform" }}
          ports:
            - { name: http, containerPort: 4000 }
          {{- include "tollgate.probes" . | nindent 10 }}
          lifecycle: {{- include "tollgate.preStop" .root | nindent 12 }}
          {{- end }}
          resources: {{- toYaml .values.resources | nindent 12 }}
          securityContext: {{- include "tollgate.containerSecurity" .root | nindent 12 }}
          volumeMounts:
            - { name: settings, mountPath: /etc/tollgate, readOnly: true }
            - { name: scratch, mountPath: /tmp }
      volumes:
        - name: settings
          configMap: { name: {{ $name }}-settings }
        - name: scratch
          emptyDir: { sizeLimit: 256Mi }
{{- end }}
