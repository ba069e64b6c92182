import { createContext, useContext } from "react";

/** Time zone for times on the page: the user's or the organization's, provided by the shell. Public pages use UTC. */
export const ZoneContext = createContext("UTC");

export function useZone(): string {
  return useContext(ZoneContext);
}
