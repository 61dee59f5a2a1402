export { type Account, canHaveRole, isActive, NOBODY, toAccountFacts, toAuthRecord } from './accounts/account.js';
export { AccountsRepository } from './accounts/accounts.repository.js';
export { AccountAnnouncements } from './accounts/account-announcements.js';
export { takenNames } from './accounts/taken-names.js';
export { AccountFieldsDto } from './fields/account-fields.dto.js';
export { IsEmailAddress, IsPersonName, IsRoleOrNone, IsUsername } from './fields/account-fields.decorator.js';
export { toUserDto, UserDto } from './profile/user.dto.js';
export { UsersAdministrationService } from './administration/users-administration.service.js';
export { UsersModule } from './users.module.js';
