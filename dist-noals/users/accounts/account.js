export function toAccount(user, auth) {
    return {
        userId: user._id.toHexString(),
        authId: auth._id.toHexString(),
        lastName: user.last_name,
        firstName: user.first_name,
        username: user.username,
        email: user.email,
        passwordHash: user.password,
        createdAt: user.created_at,
        updatedAt: user.updated_at,
        deletedAt: user.deleted_at,
        status: user.status,
        role: auth.role,
        confirmedAt: auth.confirmed_at,
        disabledAt: auth.disabled_at,
        credentialVersion: auth.credential_version,
        isPasswordResetRequired: auth.password_reset_required,
    };
}
/** Neither disabled nor deleted. */
export function isActive(account) {
    return account.deletedAt === null && account.disabledAt === null;
}
export function toAuthRecord(account) {
    return {
        user: {
            _id: account.userId,
            last_name: account.lastName,
            first_name: account.firstName,
            username: account.username,
            email: account.email,
        },
        auth: {
            _id: account.authId,
            role: account.role,
            confirmed_at: account.confirmedAt?.toISOString() ?? null,
        },
    };
}
export function toAccountFacts(account) {
    return {
        record: toAuthRecord(account),
        dates: {
            created_at: account.createdAt.toISOString(),
            updated_at: account.updatedAt.toISOString(),
            deleted_at: account.deletedAt?.toISOString() ?? null,
        },
    };
}
export function toAccountAccess(account) {
    return {
        ...toAccountFacts(account),
        credentialVersion: account.credentialVersion,
        isActive: isActive(account),
    };
}
//# sourceMappingURL=account.js.map