interface RefusedValues {
  readonly value: readonly string[];
  /** Pattern that the error must match. */
  readonly because: RegExp;
}

/** Values that the chart must reject when they are added to the minimal example, and the expected error. */
export const refusedValues: readonly RefusedValues[] = [
  { value: ["existingSecret="], because: /existingSecret/ },
  { value: ["image.tag=latest"], because: /tag/ },
  { value: ["image.digest=sha256:abc"], because: /digest/ },
  { value: ["gateway.replicas=0"], because: /replicas/ },
  { value: ["gateway.replica=3"], because: /replica/ },
  { value: ["gateway.journal.size=big"], because: /size/ },
  { value: ["gateway.journal.accessMode=ReadWriteMany"], because: /accessMode/ },
  { value: ["gateway.autoscaling.minReplicas=11"], because: /minReplicas/ },
  { value: ["drain.timeoutSeconds=601"], because: /timeoutSeconds/ },
  { value: ["service.type=ExternalName"], because: /type/ },
  { value: ["logLevel=loud"], because: /logLevel/ },
  { value: ["podNetworks[0]=everywhere"], because: /podNetworks/ },
  { value: ["ingress.enabled=true"], because: /host/ },
  { value: ["ingress.enabled=true", "ingress.host=a.example"], because: /trustedProxies is empty/ },
  {
    value: ["serviceMonitor.enabled=true", "settings.general_settings.allowed_hosts[0]=a.example"],
    because: /allowed_hosts and serviceMonitor/,
  },
  {
    value: [
      "ingress.enabled=true",
      "ingress.host=a.example",
      "trustedProxies[0]=10.0.0.0/8",
      "gatewayRoute.enabled=true",
      "gatewayRoute.parentRefs[0].name=public",
      "gatewayRoute.hostnames[0]=a.example",
    ],
    because: /both enabled/,
  },
];
