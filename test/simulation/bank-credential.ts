/** How the bank's server signs in at the service. */
export interface BankCredential {
  readonly merchantId: string;
  readonly deviceId: string;
  readonly secret: string;
}

/** The body of its `/oauth2/authorize`; an empty scope asks for all it may have. */
export const grantOf = (credential: BankCredential, scope = "", deviceType: "client" | "terminal" = "client") => ({
  grant_type: "client_credentials",
  merchant_id: credential.merchantId,
  device_id: credential.deviceId,
  device_type: deviceType,
  password: credential.secret,
  scope,
});
