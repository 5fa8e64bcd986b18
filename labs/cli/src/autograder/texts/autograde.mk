# Autolab calls this file Makefile, puts it beside autograde.tar and the student's file, and runs make.
all:
	@tar -xf autograde.tar
	@autograde/driver.sh
