import { createContext, useContext } from "react";

/** The timezone of times on the page. The shell gives the person's or the organization's; public pages show UTC. */
export const ZoneContext = createContext("UTC");

export function useZone(): string {
  return useContext(ZoneContext);
}
