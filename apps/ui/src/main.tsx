import "./styles/base.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { ApiError } from "@tollgate/sdk/platform";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { configQuery } from "./api/config.ts";
import { ToastProvider } from "./components/toast.tsx";
import { createConsoleRouter } from "./router.tsx";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A request with a client error would fail again, so only network and server errors are retried.
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
      refetchOnWindowFocus: false,
    },
  },
});

// Load the configuration before the first render, because pages rely on it.
await queries.prefetchQuery(configQuery);

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <ToastProvider>
        <RouterProvider router={createConsoleRouter(queries)} />
      </ToastProvider>
    </QueryClientProvider>
  </StrictMode>,
);
