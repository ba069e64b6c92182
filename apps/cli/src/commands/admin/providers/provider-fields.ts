export const adminProviderFields = [
  "id",
  "slug",
  "name",
  "kind",
  "baseUrl",
  "hasApiKey",
  "website",
  "status",
  "modelCount",
  "createdAt",
  "updatedAt",
] as const;
