// The kernel's interface to links and routes (rtnetlink(7)), which the Glibc module does not have.
#include <sys/socket.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/if.h>
