import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { type ConsoleConfig, configQuery } from "../api/config.ts";
import { ToastProvider } from "../components/toast.tsx";
import { ZoneContext } from "../components/zone.ts";
import { parseSearch, stringifySearch } from "../router-search.ts";

const CONFIG: ConsoleConfig = {
  basePath: "",
  apiUrl: "http://console.test/v1",
  instanceName: "Tollgate",
  version: "0.0.0",
  keyHeader: "authorization",
  signUp: true,
  publicHub: false,
  payments: "fake",
  purchaseNanoUsd: { least: "5000000000", most: "10000000000000" },
  training: false,
  isDevelopment: false,
  timezone: "UTC",
  docsUrl: "http://console.test/docs",
};

/** Renders a part of a page inside the providers of the whole console. Resolves after the first render. */
export async function renderConsole(content: ReactNode, { zone = "UTC" }: { zone?: string } = {}) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(configQuery.queryKey, CONFIG);
  const root = createRootRoute({ component: () => content });
  const router = createRouter({
    routeTree: root,
    history: createMemoryHistory({ initialEntries: ["/"] }),
    parseSearch,
    stringifySearch,
  });
  await router.load();
  return render(
    <QueryClientProvider client={queries}>
      <ToastProvider>
        <ZoneContext value={zone}>
          <RouterProvider router={router as never} />
        </ZoneContext>
      </ToastProvider>
    </QueryClientProvider>,
  );
}
