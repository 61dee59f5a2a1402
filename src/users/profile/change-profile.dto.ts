import { IsPersonName, IsUsername } from '../fields/account-fields.decorator.js';

/** Fields that are left out stay unchanged. */
export class ChangeProfileDto {
  @IsPersonName('Lovelace', { required: false })
  last_name?: string;

  @IsPersonName('Ada', { required: false })
  first_name?: string;

  @IsUsername({ required: false })
  username?: string;
}
