import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean;
}

globalThis.IS_REACT_ACT_ENVIRONMENT = true;

// Ends a search that would never end. The default of one second is too short for a starved machine.
configure({ asyncUtilTimeout: 60_000 });

/** The simulated page has no layout. Charts draw nothing without a width, so every element has this one. */
const PAGE_WIDTH = 800;
Object.defineProperty(HTMLElement.prototype, "clientWidth", { configurable: true, get: () => PAGE_WIDTH });

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
