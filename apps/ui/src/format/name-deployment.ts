interface NamedDeployment {
  readonly id: string;
  readonly provider: string;
  readonly group: string;
}

/** What a deployment is called: its id where somebody chose one, its provider where it was made up. */
export function nameDeployment(deployment: NamedDeployment): string {
  const { id, provider, group } = deployment;
  const isMadeUp = /^[0-9a-f]{64}$/.test(id) || id === group;
  return isMadeUp ? provider : id;
}
