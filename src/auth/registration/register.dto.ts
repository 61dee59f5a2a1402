import { ApiProperty } from '@nestjs/swagger';
import { IsConfirmationOf, IsNewPassword } from '../../security/index.js';
import { AccountFieldsDto, UserDto } from '../../users/index.js';

export class RegisterDto extends AccountFieldsDto {
  @IsNewPassword()
  password: string;

  @IsConfirmationOf('password')
  password_confirmation: string;
}

export class RegisteredDto {
  @ApiProperty()
  user: UserDto;

  @ApiProperty({ example: true, description: 'Whether the mail with the OTP is stored and will be sent' })
  otp_sent: boolean;
}
