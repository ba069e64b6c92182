interface NamedDeployment {
  readonly id: string;
  readonly provider: string;
  readonly group: string;
}

/** Returns the display name of a deployment: its ID if it was configured, or its provider if the ID was generated. */
export function nameDeployment(deployment: NamedDeployment): string {
  const { id, provider, group } = deployment;
  const isMadeUp = /^[0-9a-f]{64}$/.test(id) || id === group;
  return isMadeUp ? provider : id;
}
